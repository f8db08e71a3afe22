//! `open` and `shell`: look at a session's files.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::{SessionId, visible_line};
use orchestra_engine::{Exit, Window};

use crate::Done;
use crate::context::Context;
use crate::error::{CliError, FAILED};
use crate::render::screen;

/// Open a session's worktree in an editor
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  open login
  open login --editor \"code -n\"")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// The editor's program and its arguments [default: setting ui.editor, then VISUAL, EDITOR, code]
    #[arg(long)]
    editor: Option<String>,
}

/// Open a shell in a session's worktree
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  shell login
  shell login --window     in a terminal window of its own")]
pub(crate) struct ShellArguments {
    /// Id, unique prefix or name
    session: String,
    /// Open a terminal window and go on [setting ui.terminal names its program]
    #[arg(long)]
    window: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    refuse_json(context, "open")?;
    context.in_session(&arguments.session, |context, view| {
        let (engine, id) = (&context.engine, &view.session.id);
        tell_moved_ports(context, id)?;
        Ok(code(engine.open_editor(id, arguments.editor.as_deref())?))
    })
}

pub(crate) fn shell(context: &Context, arguments: &ShellArguments) -> Done {
    refuse_json(context, "shell")?;
    context.in_session(&arguments.session, |context, view| {
        context.engine.require_directory(&view.session.id)?;
        tell_moved_ports(context, &view.session.id)?;
        if arguments.window {
            let id = &view.session.id;
            let program = context.engine.open_window(id, Window::Terminal)?;
            context.printer.note(format!(
                "opened {} in {}",
                screen::path(&program),
                screen::path(&view.session.worktree)
            ));
            return Ok(ExitCode::SUCCESS);
        }
        context.printer.note(format!(
            "shell in {}; leave it with `exit`",
            screen::path(&view.session.worktree)
        ));
        Ok(code(context.engine.open_shell(&view.session.id)?))
    })
}

/// What the user starts there is told the session's ports, so a stranger must not listen on them.
fn tell_moved_ports(context: &Context, id: &SessionId) -> Result<(), CliError> {
    for note in context.engine.make_room(id)? {
        context.printer.warn(visible_line(&note));
    }
    Ok(())
}

/// What is printed then is another program's, so it could never be read as JSON.
fn refuse_json(context: &Context, command: &str) -> Result<(), CliError> {
    if !context.printer.json {
        return Ok(());
    }
    Err(CliError::usage(
        format!("`{command}` gives the terminal to another program and answers nothing in JSON"),
        "`status <session> --json` has the directory as `worktree_path`",
    ))
}

fn code(exit: Exit) -> ExitCode {
    match exit.code().and_then(|code| u8::try_from(code).ok()) {
        Some(code) => ExitCode::from(code),
        None => ExitCode::from(FAILED),
    }
}
