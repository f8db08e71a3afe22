//! Merges and what follows them, on the wire.

use orchestra_api::{ErrorBody, LandedAnswer, Merge, MergeAnswer, SessionAnswer};
use orchestra_core::SessionId;
use orchestra_engine::{
    AFTER_MERGE, Afterwards, Engine, EngineError, LandStep, MergeDone, MergeError, MergeOrder,
    Merged, OnStep, SessionView, chain,
};

use crate::{base_note, wire};

/// What came of a merge.
#[derive(Debug)]
pub enum MergeOutcome {
    /// It landed now.
    Landed(Box<MergeDone>),
    /// It had landed before, and what was left to do was done.
    Finished(Box<Afterwards>),
}

/// Lands a session. Of one that has landed, the push is done that is left of the same request.
///
/// # Errors
/// If it cannot land.
pub fn merge(
    engine: &Engine,
    id: &SessionId,
    order: &MergeOrder,
    on_step: OnStep<'_>,
) -> Result<MergeOutcome, EngineError> {
    match engine.merge_session(id, order, on_step) {
        Err(EngineError::Merge(MergeError::Landed { .. })) if order.push => {
            let order = MergeOrder {
                after_merge: None,
                ..order.clone()
            };
            let done = engine.finish_landed(id, &order, on_step)?;
            Ok(MergeOutcome::Finished(Box::new(done)))
        }
        done => Ok(MergeOutcome::Landed(Box::new(done?))),
    }
}

/// A step on the way, as it is told while it happens.
#[must_use]
pub fn step_in_words(view: &SessionView, step: LandStep<'_>) -> String {
    let name = &view.session.name;
    match step {
        LandStep::Rebased { onto_name, onto } => {
            format!("{name}: put on top of {onto_name} ({})", onto.short())
        }
        LandStep::ScriptStarts => format!("{name}: the script runs on the combined files"),
        LandStep::BaseMoved => {
            format!("{name}: its base has moved meanwhile, so that is tried again")
        }
        LandStep::Landed(merged) => {
            let (into, commit) = (&merged.into, merged.commit.short());
            format!("{name}: landed in `{into}` ({commit})")
        }
        LandStep::AfterMergeStarts => format!("{name}: `{AFTER_MERGE}` runs"),
        LandStep::PushStarts => format!("{name}: the base is being pushed"),
    }
}

/// A session that landed.
///
/// # Errors
/// If the store cannot be read.
pub fn merge_answer(engine: &Engine, done: &MergeDone) -> Result<MergeAnswer, EngineError> {
    let id = &done.merged.view.session.id;
    let SessionAnswer { seq, session } = wire::answer(engine, id)?;
    Ok(MergeAnswer {
        seq,
        session,
        merge: merge_row(&done.merged),
        afterwards: afterwards(engine, &done.afterwards),
        error: afterwards_failure(id, &done.afterwards),
    })
}

/// What was left to do for a session that had landed before.
///
/// # Errors
/// If the store cannot be read.
pub fn landed_answer(
    engine: &Engine,
    id: &SessionId,
    done: &Afterwards,
) -> Result<LandedAnswer, EngineError> {
    let SessionAnswer { seq, session } = wire::answer(engine, id)?;
    Ok(LandedAnswer {
        seq,
        session,
        afterwards: afterwards(engine, done),
        error: afterwards_failure(id, done),
    })
}

pub(super) fn merge_row(merged: &Merged) -> Merge {
    Merge {
        into: merged.into.to_string(),
        from: merged.from.to_string(),
        base_note: base_note::landing_note(&merged.base),
        commit: merged.commit.to_string(),
        how: merged.how,
        checkout: merged.checkout.clone(),
        is_partial: merged.is_partial,
        overridden: merged.overridden.clone(),
    }
}

pub(super) fn afterwards(engine: &Engine, done: &Afterwards) -> orchestra_api::Afterwards {
    let run = done.after_merge.as_ref();
    let pushed = done.push.as_ref();
    let cleaned = done.cleanup.as_ref();
    orchestra_api::Afterwards {
        after_merge: run
            .and_then(|run| run.as_ref().ok())
            .map(|run| wire::script_run(engine, run)),
        after_merge_error: run.and_then(|run| run.as_ref().err()).map(error_body),
        pushed_to: pushed
            .and_then(|pushed| pushed.as_ref().ok())
            .map(|done| format!("{}/{}", done.push.remote, done.push.branch)),
        push_error: pushed
            .and_then(|pushed| pushed.as_ref().err())
            .map(error_body),
        trash: cleaned
            .and_then(|cleaned| cleaned.as_ref().ok())
            .map(|cleaned| cleaned.entry.to_string()),
        cleanup_error: cleaned
            .and_then(|cleaned| cleaned.as_ref().err())
            .map(error_body),
    }
}

/// Why a merge counts as failed although it stands, if it does.
pub(super) fn afterwards_failure(id: &SessionId, done: &Afterwards) -> Option<ErrorBody> {
    match (&done.after_merge, &done.push) {
        (Some(Ok(run)), _) if !run.has_passed() => Some(ErrorBody {
            code: "script.failed".to_owned(),
            message: format!("`{AFTER_MERGE}` failed; the merge stays"),
            hint: Some(format!(
                "`orchestra session merge {id} --after-merge` runs it again"
            )),
        }),
        (Some(Err(error)), _) | (_, Some(Err(error))) => Some(error_body(error)),
        _ => None,
    }
}

/// A failure as part of an answer.
pub(super) fn error_body(error: &EngineError) -> ErrorBody {
    ErrorBody {
        code: error.code().to_owned(),
        message: chain::text(error),
        hint: error.hint(),
    }
}
