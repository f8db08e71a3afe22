//! `serve`: the engine over HTTP, for other programs.

use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use orchestra_api::RunningServer;
use orchestra_engine::{Clock, OpenOptions};
use orchestra_server::{ApiError, App, Claim, Limits, Listen, Registration, Registry, Server};

use super::new::duration;
use crate::Done;
use crate::context::{Context, own_program};
use crate::error::CliError;

/// Where the server listens unless told otherwise: the same address every time, so that a browser knows it again.
const USUAL_PORT: u16 = 4870;
/// How long another server may take until it says where it is.
const BEGINNING: Duration = Duration::from_secs(10);

/// Serve the HTTP API
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  serve                           prints the address, with the token that lets a browser in
  serve --open                    and opens it
  serve --port 0                  any free port
  serve --idle-exit 30m           ends when nobody asked for half an hour
  serve --token                   prints the token, for `curl -H \"Authorization: Bearer ...\"`

There is one server per data directory: a second start finds the first. Ctrl-C ends it; agents go on.
It listens on this machine only. --bind with another address wants --insecure: requests and the token are not encrypted.")]
pub(crate) struct Arguments {
    /// The port; 0 means any that is free [default: 4870, or a free one if that is taken]
    #[arg(long)]
    port: Option<u16>,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// Another name under which it may be asked for; can be repeated
    #[arg(long = "name", value_name = "HOST")]
    names: Vec<String>,
    /// Listen where others than this machine can connect, without encryption
    #[arg(long)]
    insecure: bool,
    /// Open the list of operations in a browser
    #[arg(long)]
    open: bool,
    /// End when nobody asked for this long, such as 30m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    idle_exit: Option<Duration>,
    /// Print the token and end
    #[arg(long, exclusive = true)]
    token: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let registry = Registry::of(context.engine.dirs().root())
        .map_err(|source| CliError::io("make the server's folder", &source))?;
    if arguments.token {
        context.printer.line(token(&registry)?);
        return Ok(ExitCode::SUCCESS);
    }
    check_address(context, arguments)?;
    let claim = registry.claim();
    match claim.map_err(|source| CliError::io("claim the server's lock", &source))? {
        Claim::First(registration) => serve(context, arguments, &registry, &registration),
        Claim::Second(found) => show_other(context, arguments, &registry, found),
    }
}

fn token(registry: &Registry) -> Result<String, CliError> {
    let token = registry.token();
    let token = token.map_err(|source| CliError::io("read the token", &source))?;
    Ok(token.reveal().to_owned())
}

fn check_address(context: &Context, arguments: &Arguments) -> Result<(), CliError> {
    if arguments.bind.is_loopback() {
        return Ok(());
    }
    if !arguments.insecure {
        return Err(CliError::refused(
            "server.not_local",
            format!("others could connect to {}", arguments.bind),
            "leave --bind away, or say --insecure: requests and the token are not encrypted",
        ));
    }
    context.printer.warn(
        "others on the network can connect and read along: whoever has the token can do all that you can",
    );
    Ok(())
}

/// The first server serves until somebody ends it.
fn serve(
    context: &Context,
    arguments: &Arguments,
    registry: &Registry,
    registration: &Registration,
) -> Done {
    let app = App::open(OpenOptions {
        environment: context.engine.environment().clone(),
        repository: None,
        flags: context.global().overrides.clone(),
        program: own_program()?,
        clock: Clock::System,
    })
    .map_err(failed)?;
    let token = registry.token();
    let token = token.map_err(|source| CliError::io("read the token", &source))?;
    let listen = |port: u16| Listen {
        address: SocketAddr::new(arguments.bind, port),
        names: arguments.names.clone(),
        token: token.clone(),
        idle_exit: arguments.idle_exit,
        limits: Limits::default(),
    };
    let wanted = arguments.port.unwrap_or(USUAL_PORT);
    let bound = match Server::bind(app.clone(), listen(wanted)) {
        Err(_) if arguments.port.is_none() => Server::bind(app, listen(0)),
        bound => bound,
    };
    let server =
        bound.map_err(|source| CliError::io(&format!("listen on port {wanted}"), &source))?;
    let running = RunningServer {
        url: format!("http://{}", server.address()),
        token_file: registry.token_file(),
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: Clock::System.now(),
    };
    let announced = registration.announce(&running);
    announced.map_err(|source| CliError::io("say where the server is", &source))?;
    show(context, arguments, registry, &running)?;
    let served = server.run();
    served.map_err(|source| CliError::io("serve", &source))?;
    Ok(ExitCode::SUCCESS)
}

fn failed(error: ApiError) -> CliError {
    CliError {
        code: error.body.code,
        message: error.body.message,
        hint: error.body.hint,
        exit: crate::error::FAILED,
        finished: None,
    }
}

/// Another server runs: where it is, is the answer.
fn show_other(
    context: &Context,
    arguments: &Arguments,
    registry: &Registry,
    found: Option<RunningServer>,
) -> Done {
    let deadline = Instant::now() + BEGINNING;
    let mut found = found;
    while found.is_none() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(20));
        found = registry.running();
    }
    let running = found.ok_or_else(|| {
        CliError::refused(
            "server.unknown",
            "another server is there and does not say where",
            "end it, or try again in a moment",
        )
    })?;
    context.printer.note("a server runs already");
    show(context, arguments, registry, &running)?;
    Ok(ExitCode::SUCCESS)
}

fn show(
    context: &Context,
    arguments: &Arguments,
    registry: &Registry,
    running: &RunningServer,
) -> Result<(), CliError> {
    let page = format!("{}/#token={}", running.url, token(registry)?);
    match context.printer.json {
        true => context.printer.json_line(running),
        false => context.printer.line(&page),
    }
    if arguments.open {
        let door = registry.door_to(&page);
        let door = door.map_err(|source| CliError::io("write a page for the browser", &source))?;
        context.engine.open_in_browser(&door)?;
    }
    Ok(())
}
