//! What followed after a session landed, for `merge` and `land`.

use orchestra_core::{ScriptRun, SessionId, visible_line};
use orchestra_engine::{AFTER_MERGE, Afterwards, EngineError, chain};

use super::{push, run};
use crate::context::Context;
use crate::error::{CliError, FAILED, SCRIPT_FAILED};
use crate::render::{screen, summary};

/// Says what was done, and how what failed is done again. A push that failed is not told here: it is the failure of the command.
pub(crate) fn tell(context: &Context, id: &SessionId, done: &Afterwards) {
    if let Some(run) = &done.after_merge {
        tell_after_merge(context, id, run.as_ref());
    }
    if let Some(Ok(pushed)) = &done.push {
        context.printer.note(push::line(pushed));
    }
    match &done.cleanup {
        Some(Ok(cleaned)) => {
            for run in &cleaned.plan.servers {
                let name = visible_line(&run.script);
                context.printer.note(format!("its server {name} was ended"));
            }
            context.printer.note(format!(
                "its worktree is in the trash; `orchestra session undo {id}` brings it back"
            ));
        }
        Some(Err(error)) => context.printer.warn(format!(
            "it has landed, but its worktree was not cleaned up: {}",
            chain::text(error)
        )),
        None => {}
    }
}

fn tell_after_merge(context: &Context, id: &SessionId, run: Result<&ScriptRun, &EngineError>) {
    let problem = match run {
        Ok(run) => {
            run::tell(context, run);
            if run.has_passed() {
                return;
            }
            let log = context.engine.script_log(run);
            let why = summary::why(run);
            format!("failed{why}; its output is in {}", screen::path(&log))
        }
        Err(error) => format!("did not run: {}", chain::text(error)),
    };
    context
        .printer
        .warn(format!("the merge stays, but `{AFTER_MERGE}` {problem}"));
    context.printer.note(format!(
        "  orchestra session merge {id} --after-merge   run it again; with --push, send the base too"
    ));
}

/// The exit code of the command after merges that stand.
pub(crate) fn exit(done: &Afterwards) -> Option<u8> {
    match (&done.after_merge, &done.push) {
        (Some(Ok(run)), _) if !run.has_passed() => Some(SCRIPT_FAILED),
        (Some(Err(_)), _) | (_, Some(Err(_))) => Some(FAILED),
        _ => None,
    }
}

/// A push that failed after the work had landed: something was changed, so it was not just refused.
pub(crate) fn push_failure(done: Afterwards) -> Option<CliError> {
    match done.push {
        Some(Err(error)) => Some(CliError {
            exit: FAILED,
            ..CliError::from(error)
        }),
        Some(Ok(_)) | None => None,
    }
}
