//! `serve` and `ui`: the engine over HTTP, for browsers and other programs.

mod background;

use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use orchestra_api::RunningServer;
use orchestra_engine::{Clock, EngineError, OpenOptions, become_session_leader};
use orchestra_server::{ApiError, App, Claim, Limits, Listen, Registration, Registry, Server};

use super::new::duration;
use crate::Done;
use crate::context::{Context, own_program};
use crate::error::CliError;

/// Where the server listens unless told otherwise: the same address every time, so that a browser knows it again.
const USUAL_PORT: u16 = 4870;
/// How long another server may take until it says where it is.
const BEGINNING: Duration = Duration::from_secs(10);

/// Serve the web UI and the HTTP API
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  serve                           prints the address, with the token that lets a browser in
  serve --open                    and opens it
  serve --port 0                  any free port
  serve --idle-exit 30m           ends when nobody asked for half an hour
  serve --background              goes on without this terminal
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
    /// Open it in a browser
    #[arg(long)]
    open: bool,
    /// Go on in the background, without this terminal
    #[arg(long)]
    background: bool,
    /// Leave the terminal of whoever started this
    #[arg(long, hide = true, conflicts_with = "background")]
    detached: bool,
    /// End when nobody asked for this long, such as 30m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    idle_exit: Option<Duration>,
    /// Print the token and end
    #[arg(long, exclusive = true)]
    token: bool,
}

/// Show the web UI in a browser
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ui                 the sessions
  ui login           one session
  ui --no-open       only prints the address

A server is started in the background if none runs. It ends when nobody used it for half an hour; agents go on.")]
pub(crate) struct UiArguments {
    /// A session to show: id, unique prefix or name
    session: Option<String>,
    /// Print the address only
    #[arg(long)]
    no_open: bool,
}

/// How long a server that was started for the web UI stays when nobody asks.
const UI_PATIENCE: Duration = Duration::from_secs(30 * 60);

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    if arguments.detached {
        become_session_leader().map_err(EngineError::from)?;
    }
    let registry = registry(context)?;
    if arguments.token {
        context.printer.line(token(&registry)?);
        return Ok(ExitCode::SUCCESS);
    }
    require_consent(arguments)?;
    let page = Page {
        path: "/".to_owned(),
        open: arguments.open,
    };
    match claim(&registry)? {
        Claim::First(registration) if arguments.background => {
            drop(registration);
            warn_of_others(context, arguments);
            let running = background::start(context, &registry, &arguments.words())?;
            show(context, &registry, &running, &page)
        }
        Claim::First(registration) => {
            warn_of_others(context, arguments);
            serve(context, arguments, &registry, &registration, &page)
        }
        Claim::Second(found) => show_other(context, &registry, found, &page),
    }
}

pub(crate) fn ui(context: &Context, arguments: &UiArguments) -> Done {
    let session = arguments.session.as_deref();
    let session = session.map(|text| context.session(text)).transpose()?;
    let page = Page {
        path: session.map_or_else(
            || "/".to_owned(),
            |view| format!("/sessions/{}", view.session.id),
        ),
        open: !arguments.no_open,
    };
    let registry = registry(context)?;
    let running = match claim(&registry)? {
        Claim::Second(found) => wait_for(&registry, found)?,
        Claim::First(registration) => {
            drop(registration);
            let idle = format!("--idle-exit={}s", UI_PATIENCE.as_secs());
            background::start(context, &registry, &[idle])?
        }
    };
    show(context, &registry, &running, &page)
}

/// What is shown of a server.
struct Page {
    /// Where in the web UI.
    path: String,
    /// Whether a browser opens it.
    open: bool,
}

impl Arguments {
    /// The same again, for a server in the background.
    fn words(&self) -> Vec<String> {
        let mut words = vec![format!("--bind={}", self.bind)];
        words.extend(self.port.map(|port| format!("--port={port}")));
        words.extend(self.names.iter().map(|name| format!("--name={name}")));
        words.extend(self.insecure.then(|| "--insecure".to_owned()));
        let idle = self.idle_exit;
        words.extend(idle.map(|idle| format!("--idle-exit={}s", idle.as_secs())));
        words
    }
}

fn registry(context: &Context) -> Result<Registry, CliError> {
    Registry::of(context.engine.dirs().root())
        .map_err(|source| CliError::io("make the server's folder", &source))
}

fn claim(registry: &Registry) -> Result<Claim, CliError> {
    let claim = registry.claim();
    claim.map_err(|source| CliError::io("claim the server's lock", &source))
}

fn token(registry: &Registry) -> Result<String, CliError> {
    let token = registry.token();
    let token = token.map_err(|source| CliError::io("read the token", &source))?;
    Ok(token.reveal().to_owned())
}

fn require_consent(arguments: &Arguments) -> Result<(), CliError> {
    if arguments.bind.is_loopback() || arguments.insecure {
        return Ok(());
    }
    Err(CliError::refused(
        "server.not_local",
        format!("others could connect to {}", arguments.bind),
        "leave --bind away, or say --insecure: requests and the token are not encrypted",
    ))
}

fn warn_of_others(context: &Context, arguments: &Arguments) {
    if !arguments.bind.is_loopback() {
        context.printer.warn(
            "others on the network can connect and read along: whoever has the token can do all that you can",
        );
    }
}

/// The first server serves until somebody ends it.
fn serve(
    context: &Context,
    arguments: &Arguments,
    registry: &Registry,
    registration: &Registration,
    page: &Page,
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
    show(context, registry, &running, page)?;
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
    registry: &Registry,
    found: Option<RunningServer>,
    page: &Page,
) -> Done {
    let running = wait_for(registry, found)?;
    context
        .printer
        .note("a server runs already; how it listens stays as it is");
    show(context, registry, &running, page)
}

/// Waits until a server that holds the lock says where it is.
fn wait_for(registry: &Registry, found: Option<RunningServer>) -> Result<RunningServer, CliError> {
    let deadline = Instant::now() + BEGINNING;
    let mut found = found;
    while found.is_none() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(20));
        found = registry.running();
    }
    found.ok_or_else(|| {
        CliError::refused(
            "server.unknown",
            "another server is there and does not say where",
            "end it, or try again in a moment",
        )
    })
}

fn show(context: &Context, registry: &Registry, running: &RunningServer, page: &Page) -> Done {
    let address = format!("{}{}#token={}", running.url, page.path, token(registry)?);
    match context.printer.json {
        true => context.printer.json_line(running),
        false => context.printer.line(&address),
    }
    if page.open {
        let door = registry.door_to(&address);
        let door = door.map_err(|source| CliError::io("write a page for the browser", &source))?;
        context.engine.open_in_browser(&door)?;
    }
    Ok(ExitCode::SUCCESS)
}
