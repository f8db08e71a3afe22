//! `resume` and `discard`: what to do after an interruption or while the provider makes a session wait.

use std::process::ExitCode;

use clap::Args;
use orchestra_api::{Discarded, SessionAnswer};
use orchestra_core::{Iteration, SessionId};
use orchestra_engine::Resumed;

use super::{follow, iterate};
use crate::Done;
use crate::context::Context;
use crate::render::screen;
use orchestra_server::wire;

/// Go on after an interruption, or try now what waits for the agent's provider
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  resume login
  resume login --detach")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// Start it and return
    #[arg(long)]
    detach: bool,
}

/// Throw away what an interrupted run left uncommitted; --undo brings it back
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  discard login
  discard login --undo            brings everything back")]
pub(crate) struct DiscardArguments {
    /// Id, unique prefix or name
    session: String,
    /// Bring back what was discarded last: files, what was staged and what was not
    #[arg(long)]
    undo: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    // What was said before the wait is known.
    let position = context.engine.last_position(&view.session.id)?;
    match context.engine.resume(&view.session.id)? {
        Resumed::Started(iteration) => iterate::started(context, &iteration, arguments.detach),
        Resumed::GoesOn(iteration) if arguments.detach => tried_now(context, &iteration),
        Resumed::GoesOn(iteration) => follow::iteration_from(context, &iteration, position),
    }
}

fn tried_now(context: &Context, iteration: &Iteration) -> Done {
    let (id, number) = (&iteration.session, iteration.number);
    if context.printer.json {
        let shown = wire::iteration(&context.engine, iteration)?;
        context.printer.json_line(&shown);
        return Ok(ExitCode::SUCCESS);
    }
    let line = format!("iteration {number} of {id} is tried now");
    context.printer.line(line);
    let attach = format!("  orchestra session attach {id}   follow it");
    context.printer.note(attach);
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn discard(context: &Context, arguments: &DiscardArguments) -> Done {
    let view = context.session(&arguments.session)?;
    if arguments.undo {
        return undo(context, &view.session.id);
    }
    let done = context.engine.discard(&view.session.id)?;
    if context.printer.json {
        let SessionAnswer { seq, session } = wire::answer(&context.engine, &view.session.id)?;
        context.printer.json(&Discarded {
            seq,
            session,
            files: done.files,
            patch: done.patch,
        });
        return Ok(ExitCode::SUCCESS);
    }
    for place in &done.kept {
        let place = screen::path(place);
        let kept = format!("  {place} is a repository of its own and stays");
        context.printer.note(kept);
    }
    match done.patch {
        None => context.printer.line("nothing was left uncommitted"),
        Some(patch) => {
            context
                .printer
                .line(format!("{} change(s) discarded", done.files));
            context.printer.note(format!(
                "  orchestra session discard {} --undo   brings them back",
                view.session.id
            ));
            context
                .printer
                .note(format!("  a patch of them: {}", screen::path(&patch)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn undo(context: &Context, id: &SessionId) -> Done {
    context.engine.undo_discard(id)?;
    if context.printer.json {
        context.printer.json(&wire::answer(&context.engine, id)?);
        return Ok(ExitCode::SUCCESS);
    }
    context.printer.line("the discarded changes are back");
    context.printer.note(format!(
        "  orchestra session resume {id}   goes on with them; commit keeps them"
    ));
    Ok(ExitCode::SUCCESS)
}
