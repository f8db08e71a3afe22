//! `squash`: the commits of a session become one.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::CommitId;
use orchestra_engine::SquashOrder;

use crate::Done;
use crate::context::Context;
use orchestra_server::landing;

/// Make one commit of a session's commits
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  squash login --message \"Fix the login form\"
  squash login -m \"Fix the login form\" --keep-manual

Files and uncommitted changes stay as they are; `undo` brings the commits back. Whoever wrote a part
of it is named as co-author. With --keep-manual the commits that a person made stay, and each
unbroken run of the others becomes one.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// What the commit says
    #[arg(long, short, allow_hyphen_values = true)]
    message: String,
    /// Keep commits that a person made
    #[arg(long)]
    keep_manual: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let id = context.session(&arguments.session)?.session.id;
    let order = SquashOrder {
        message: arguments.message.clone(),
        keep_manual: arguments.keep_manual,
    };
    let done = context.engine.squash(&id, &order)?;
    if context.printer.json {
        let answer = landing::squashed(&context.engine, &id, &done)?;
        context.printer.json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let made: Vec<_> = done.made.iter().map(CommitId::short).collect();
    let (before, after, made) = (done.squashed, made.len(), made.join(" "));
    context.printer.line(match arguments.keep_manual {
        true => format!("{before} commit(s) of the agent became {after}: {made}; others stay"),
        false => format!("{before} commit(s) became {after}: {made}"),
    });
    context
        .printer
        .note(format!("  orchestra session undo {id}   brings them back"));
    Ok(ExitCode::SUCCESS)
}
