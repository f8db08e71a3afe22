//! `run`: run a script, or a server.

use std::ops::ControlFlow;
use std::process::ExitCode;

use clap::Args;
use orchestra_core::{RunProblem, ScriptResult, ScriptRun, visible_line};
use orchestra_engine::{Consent, SessionView, SetupNeed};

use super::follow::{self, Interrupts};
use super::server::{self, Wish};
use super::{allowed, setup};
use crate::Done;
use crate::context::Context;
use crate::error::{CliError, SCRIPT_FAILED, STOPPED};
use crate::printer::{GREEN, RED};
use crate::render::screen;
use crate::render::script_log::ShownLog;
use orchestra_server::wire;

/// Run a script in a session's worktree
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  run login                 the session's own script, or `test` of the repository
  run login lint            the script `lint` under [scripts] in .orchestra/config.toml
  run login lint --detach   leave it running; `stop login` ends it
  run login dev --detach    a server: come back when it is ready, with its address
  run login dev --follow    watch a server that runs; Ctrl-C leaves it
  run login dev --stop

A script of .orchestra/config.toml runs once you have allowed its text, when asked or by --yes.
One with a table [servers.<name>] there is a server: it runs beside the session's other work,
and ends with the session.

Ctrl-C stops the script; a second one ends it at once. A closed terminal leaves it running.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// The script's name
    script: Option<String>,
    /// Start it and return; a server: when it is ready
    #[arg(long)]
    detach: bool,
    /// Stop a server
    #[arg(long, requires = "script", conflicts_with_all = ["detach", "restart", "follow"])]
    stop: bool,
    /// Stop a server and start it again; returns when it is ready
    #[arg(long, requires = "script", conflicts_with = "follow")]
    restart: bool,
    /// Watch a server that runs; Ctrl-C leaves it
    #[arg(long, short, requires = "script", conflicts_with = "detach")]
    follow: bool,
    /// Also in a session whose set-up did not come to a good end
    #[arg(long)]
    without_setup: bool,
    /// Allow the script if it comes from the repository's own settings file
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    context.in_session(&arguments.session, |context, view| {
        match server_name(context, arguments, view)? {
            Some(name) => server::run(context, &arguments.order(view, name)),
            None => run_script(context, arguments, view),
        }
    })
}

fn run_script(context: &Context, arguments: &Arguments, view: &SessionView) -> Done {
    let (session, name) = (&view.session, arguments.script.as_deref());
    let script = context.engine.script_command(session, name)?;
    allowed::ask(
        context,
        &view.repository.root,
        vec![script],
        arguments.consent(),
    )?;
    setup::wait(context, &session.id)?;
    let need = arguments.setup_need();
    let run = context.engine.start_script(&session.id, name, need)?;
    if arguments.detach {
        report(context, &run)?;
        return Ok(ExitCode::SUCCESS);
    }
    until_over(context, &run)
}

impl Arguments {
    fn order<'a>(&self, view: &'a SessionView, name: &'a str) -> server::Order<'a> {
        server::Order {
            view,
            name,
            wish: self.wish(),
            setup: self.setup_need(),
            consent: self.consent(),
        }
    }

    fn consent(&self) -> Consent {
        Consent::given_if(self.yes)
    }

    fn setup_need(&self) -> SetupNeed {
        SetupNeed::waived_if(self.without_setup)
    }

    fn wish(&self) -> Wish {
        match self {
            Self { stop: true, .. } => Wish::Stop,
            Self { restart: true, .. } => Wish::Restart,
            Self { follow: true, .. } => Wish::Follow,
            Self { detach: true, .. } => Wish::Detach,
            _ => Wish::Run,
        }
    }
}

/// The server that is meant; `None` if it is a script. One that runs is a server whatever the settings say by now.
fn server_name<'a>(
    context: &Context,
    arguments: &'a Arguments,
    view: &SessionView,
) -> Result<Option<&'a str>, CliError> {
    let Some(name) = arguments.script.as_deref() else {
        return Ok(None);
    };
    if context.engine.is_server(name) || view.running_server(name).is_some() {
        return Ok(Some(name));
    }
    match arguments.wish() {
        Wish::Run | Wish::Detach => Ok(None),
        Wish::Stop | Wish::Restart | Wish::Follow => Err(CliError::usage(
            format!("`{}` is not a server", visible_line(name)),
            format!(
                "a table [servers.{}] in .orchestra/config.toml makes it one; `orchestra session stop` ends a script, `attach` follows it",
                visible_line(name)
            ),
        )),
    }
}

/// Shows a script until it is over, and how it ended. Closing the terminal leaves it running.
pub(crate) fn until_over(context: &Context, run: &ScriptRun) -> Done {
    let finished = follow(context, run)?;
    report(context, &finished)?;
    Ok(exit_code(&finished))
}

/// The exit code that tells how a script run went.
pub(crate) fn exit_code(run: &ScriptRun) -> ExitCode {
    match run.finished.map(|end| end.result) {
        Some(result) if result.passed() => ExitCode::SUCCESS,
        Some(ScriptResult::Stopped) => ExitCode::from(STOPPED),
        _ => ExitCode::from(SCRIPT_FAILED),
    }
}

/// Shows the log as it grows.
fn follow(context: &Context, run: &ScriptRun) -> Result<ScriptRun, CliError> {
    let interrupts = Interrupts::listen()?;
    let (mut log, mut asked) = (ShownLog::new(context, run), 0);
    follow::script_run(context, run, |current| {
        log.show_new(context)?;
        if current.finished.is_some() {
            return Ok(ControlFlow::Break(current));
        }
        if interrupts.count() > asked {
            asked = interrupts.count();
            interrupts.stop_script(context, run, "script")?;
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// Answers with a script run: how it ended, or that it goes on.
pub(crate) fn report(context: &Context, run: &ScriptRun) -> Result<(), CliError> {
    if context.printer.json {
        context.printer.json(&wire::script(&context.engine, run)?);
    } else {
        tell(context, run);
    }
    Ok(())
}

/// Says how a script run ended, or that it goes on.
pub(crate) fn tell(context: &Context, run: &ScriptRun) {
    let command = visible_line(&run.command);
    match run.finished.map(|end| end.result) {
        None => {
            let id = &run.session;
            let log = context.engine.script_log(run);
            context.printer.note(format!(
                "`{command}` runs in the background; its output goes to {}",
                screen::path(&log)
            ));
            context.printer.note(format!(
                "  orchestra session attach {id}   follow it\n  orchestra session stop {id}     stop it"
            ));
        }
        Some(ScriptResult::Exited(0)) => context
            .printer
            .note(format!("{GREEN}passed{GREEN:#}  {command}")),
        Some(ScriptResult::Exited(code)) => context
            .printer
            .note(format!("{RED}failed{RED:#}  {command} (exit code {code})")),
        Some(ScriptResult::Signalled(signal)) => context
            .printer
            .note(format!("{RED}failed{RED:#}  {command} (signal {signal})")),
        Some(other) => context
            .printer
            .note(format!("{RED}{}{RED:#}  {command}", word(other))),
    }
    if let Some(problem) = &run.problem {
        tell_problem(context, problem);
    }
}

/// Why a run was ended or could not be run, and what helps.
fn tell_problem(context: &Context, problem: &RunProblem) {
    let RunProblem { message, hint, .. } = problem;
    context.printer.note(format!("  {}", visible_line(message)));
    if let Some(hint) = hint {
        context
            .printer
            .note(format!("  hint: {}", visible_line(hint)));
    }
}

fn word(result: ScriptResult) -> &'static str {
    match result {
        ScriptResult::Exited(_) | ScriptResult::Signalled(_) => "failed",
        ScriptResult::TimedOut => "timed out",
        ScriptResult::OutputLimit => "printed too much",
        ScriptResult::Stopped => "stopped",
        ScriptResult::Interrupted => "interrupted",
        ScriptResult::NotAllowed => "not allowed",
        ScriptResult::Unrunnable => "could not be run",
    }
}
