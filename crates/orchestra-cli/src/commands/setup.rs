//! `setup`: make a session's worktree ready, and waiting until it is.

use std::ops::ControlFlow;
use std::process::ExitCode;

use clap::Args;
use orchestra_core::{ScriptRun, SessionId, SetupState};
use orchestra_engine::{Consent, SessionView};

use super::follow::{self, Interrupts};
use super::{allowed, run as script};
use crate::Done;
use crate::context::Context;
use crate::error::{CliError, SCRIPT_FAILED, STOPPED};
use crate::render::script_log::ShownLog;
use crate::render::{screen, summary};

/// Make a session's worktree ready: ignored files, databases, then the command in commands.setup
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  setup login                run it again, in the background
  setup login --follow       watch it; Ctrl-C stops it
  setup login --yes          allow its commands first

A new session is set up in the background: what worktree.copy and worktree.reuse name comes from the
main checkout first. Files and databases that are there stay as they are.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// Show what it says until it is over
    #[arg(long, short)]
    follow: bool,
    /// Allow its commands if they come from the repository's own settings file
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    context.in_session(&arguments.session, |context, view| {
        let run = match view.running_setup() {
            Some(run) => run.clone(),
            None => start(context, arguments, view)?,
        };
        match arguments.follow {
            true => script::until_over(context, &run),
            false => {
                script::report(context, &run)?;
                Ok(ExitCode::SUCCESS)
            }
        }
    })
}

fn start(
    context: &Context,
    arguments: &Arguments,
    view: &SessionView,
) -> Result<ScriptRun, CliError> {
    let repository = &view.repository;
    let commands = context.engine.setup_commands(Some(repository.id))?;
    let consent = Consent::given_if(arguments.yes);
    allowed::ask(context, &repository.root, commands, consent)?;
    Ok(context.engine.start_setup(&view.session.id)?)
}

/// Shows the set-up of a session while it runs. Ctrl-C ends the waiting, not the set-up.
pub(crate) fn wait(context: &Context, id: &SessionId) -> Result<(), CliError> {
    let view = context.engine.session(id)?;
    let Some(run) = view.running_setup() else {
        return Ok(());
    };
    let interrupts = Interrupts::listen()?;
    let before = interrupts.count();
    context
        .printer
        .note(format!("waiting for the set-up of {id}"));
    let mut log = ShownLog::new(context, run);
    follow::script_run(context, run, |current| {
        log.show_new(context)?;
        if current.finished.is_some() {
            return Ok(ControlFlow::Break(()));
        }
        match interrupts.count() > before {
            true => Err(waiting_stopped(id)),
            false => Ok(ControlFlow::Continue(())),
        }
    })
}

fn waiting_stopped(id: &SessionId) -> CliError {
    CliError {
        code: "setup.goes_on".to_owned(),
        message: format!("the set-up of {id} goes on, and nothing else was started"),
        hint: Some(format!(
            "follow it with `orchestra session setup {id} --follow`, or end it with `orchestra session stop {id}`"
        )),
        exit: STOPPED,
        finished: None,
    }
}

/// Says how the set-up of a new session stands, where that is worth a word.
pub(crate) fn tell(context: &Context, view: &SessionView) {
    let id = &view.session.id;
    match (view.setup, &view.setup_run) {
        (SetupState::None | SetupState::Passed | SetupState::Outdated, _) | (_, None) => {}
        (SetupState::Running, _) => context.printer.note(format!(
            "  its set-up runs; `orchestra session setup {id} --follow` shows it"
        )),
        (SetupState::NotAllowed, _) => context.printer.warn(format!(
            "the set-up did not run: commands of the repository's own settings file are not allowed yet; `orchestra session setup {id}` shows them and asks, --yes allows them"
        )),
        (state, Some(run)) => context.printer.warn(format!(
            "the set-up {}{}; its log is {}; `orchestra session setup {id}` runs it again",
            state.in_words(),
            summary::why(run),
            screen::path(&context.engine.script_log(run))
        )),
    }
}

/// The exit code of a command that waited for a set-up.
pub(crate) fn exit_code(view: &SessionView) -> ExitCode {
    match view.setup.is_wanting() {
        true => ExitCode::from(SCRIPT_FAILED),
        false => ExitCode::SUCCESS,
    }
}
