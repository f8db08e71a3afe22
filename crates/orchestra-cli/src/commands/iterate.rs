//! `iterate`: run the agent once.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::Iteration;
use orchestra_engine::{EngineError, SessionView, SetupNeed, StartIteration, ThreadChoice};

use super::slash::{self, Heard};
use super::{follow, queue, setup};
use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use orchestra_server::wire;

/// Run the agent once: run, commit, script
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  iterate login
  iterate login \"Also handle an empty password\"
  iterate login \"/diff --stat\"     a slash command; /help lists them, // begins a text with a slash
  iterate login --detach          start it and return; `attach` follows it later
  iterate login --new-thread      when the agent's conversation is archived, open elsewhere or gone

A set-up that runs is waited for, also with --detach.
Ctrl-C stops the agent and keeps the work; a second one ends it at once. A closed terminal leaves it running.
With --json: one transcript item per line, then the session with the iteration. With --detach as well: only that.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// What the agent should know or do now, or a slash command
    text: Option<String>,
    /// The same, for a text that begins with a dash
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "text"
    )]
    notes: Option<String>,
    /// Leave the changes uncommitted
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true")]
    no_commit: bool,
    /// Start it and return
    #[arg(long)]
    detach: bool,
    /// Begin a new conversation with the agent, which is told what happened before
    #[arg(long)]
    new_thread: bool,
    /// Also in a session whose set-up did not come to a good end
    #[arg(long)]
    without_setup: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    context.in_session(&arguments.session, |context, view| {
        iterate(context, arguments, view)
    })
}

fn iterate(context: &Context, arguments: &Arguments, view: &SessionView) -> Done {
    let text = arguments.text.as_ref().or(arguments.notes.as_ref());
    let input = match text.map(|text| slash::hear(context, view, text)) {
        None => None,
        Some(heard) => match heard? {
            Heard::Ran(code) => return Ok(code),
            Heard::Text(text) => Some(text),
        },
    };
    setup::wait(context, &view.session.id)?;
    let request = StartIteration {
        input: input.clone(),
        no_commit: arguments.no_commit,
        setup: SetupNeed::waived_if(arguments.without_setup),
        thread: match arguments.new_thread {
            true => ThreadChoice::New,
            false => ThreadChoice::Continued,
        },
        answers: None,
    };
    let iteration = context.engine.start_iteration(&view.session.id, &request);
    let iteration = iteration.map_err(with_no_commit)?;
    if let Some(input) = &input {
        context.warn_secret("the notes", input);
    }
    started(context, &iteration, arguments.detach)
}

/// An iteration that commits nothing may start from any checkout.
fn with_no_commit(error: EngineError) -> CliError {
    let is_elsewhere = matches!(error, EngineError::OtherBranch { .. });
    let mut shown = CliError::from(error);
    if let Some(hint) = shown.hint.as_mut().filter(|_| is_elsewhere) {
        hint.push_str(", or leave the changes uncommitted with --no-commit");
    }
    shown
}

/// Follows an iteration that was just started, or says how to.
pub(crate) fn started(context: &Context, iteration: &Iteration, detach: bool) -> Done {
    if !detach {
        return follow::iteration(context, iteration);
    }
    if context.printer.json {
        context
            .printer
            .json_line(&wire::iteration(&context.engine, iteration)?);
    } else {
        let (id, number) = (&iteration.session, iteration.number);
        let how = match queue::place_of(context, iteration) {
            Some(place) => format!(
                "is queued: {} run, {} wait before it",
                place.running, place.waiting
            ),
            None => "runs in the background".to_owned(),
        };
        context
            .printer
            .line(format!("iteration {number} of {id} {how}"));
        context.printer.note(format!(
            "  orchestra session attach {id}   follow it\n  orchestra session stop {id}     stop it"
        ));
    }
    Ok(ExitCode::SUCCESS)
}
