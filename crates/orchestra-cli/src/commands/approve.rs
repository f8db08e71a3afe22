//! `approve`: a person looked at the work and wants it to land.

use std::process::ExitCode;

use clap::Args;

use crate::Done;
use crate::context::Context;
use orchestra_server::landing;

/// Say that you looked at the work of a session and want it to land
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  diff login                 look at it
  approve login              want it
  approve login --undo       not any more

It counts for these very changes: squashing them or putting them on a newer base keeps it, any other change voids it.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// Take the approval back
    #[arg(long)]
    undo: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let id = context.session(&arguments.session)?.session.id;
    let view = match arguments.undo {
        true => context.engine.withdraw_approval(&id)?,
        false => context.engine.approve(&id)?,
    };
    let approval = view.session.approval.as_ref();
    if context.printer.json {
        let answer = landing::approval_answer(&context.engine, &view)?;
        context.printer.json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    match approval {
        Some(approval) => {
            let name = &view.session.name;
            context
                .printer
                .line(format!("approved: {name} at {}", approval.commit.short()));
            context.printer.note(format!(
                "  orchestra session check {id}   what else is looked at\n  orchestra session merge {id}   land it"
            ));
        }
        None => context
            .printer
            .line(format!("not approved any more: {}", view.session.name)),
    }
    Ok(ExitCode::SUCCESS)
}
