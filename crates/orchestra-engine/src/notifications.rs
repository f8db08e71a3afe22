//! Notifications for any face: which events deserve one, what it says, and who shows it.

use orchestra_core::{
    DROP_SCRIPT, Event, EventBody, OperationKind, Progress, ScriptRun, SessionId, TEARDOWN_SCRIPT,
    Timestamp,
};
use orchestra_store::Tx;

use crate::notify::Notice;
use crate::{Engine, EngineError};

/// An event that deserves a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// The event's number.
    pub event: u64,
    /// When it happened.
    pub at: Timestamp,
    /// The session it is about.
    pub session: SessionId,
    /// What happened, as the log names it.
    pub kind: &'static str,
    /// What is shown.
    pub notice: Notice,
    /// Whether a face shows it already.
    pub is_claimed: bool,
}

impl Engine {
    /// Events after a number that deserve a notification, in order, out of the next `limit` that could; and the number of the
    /// last one that was looked at, if there was one.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn notifications_after(
        &self,
        after: u64,
        limit: u32,
    ) -> Result<(Vec<Notification>, Option<u64>), EngineError> {
        self.store.read(|tx| {
            let events = tx.notable_events(after, limit)?;
            let last = events.last().map(|(event, _)| event.seq);
            let told: Result<Vec<_>, EngineError> = events
                .into_iter()
                .map(|(event, is_claimed)| notification(tx, &event, is_claimed))
                .collect();
            Ok((told?.into_iter().flatten().collect(), last))
        })
    }

    /// The notification of an event, if it deserves one.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find_notification(&self, event: u64) -> Result<Option<Notification>, EngineError> {
        self.store.read(|tx| match tx.find_notable_event(event)? {
            Some((event, is_claimed)) => notification(tx, &event, is_claimed),
            None => Ok(None),
        })
    }

    /// Claims the notification of an event: whoever gets `true` shows it. Nobody does if the user wants none.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn claim_notification(&self, event: u64) -> Result<bool, EngineError> {
        if !self.config().ui.notifications {
            return Ok(false);
        }
        self.write_stream(|tx| Ok(tx.claim_notification(event)?))
    }

    /// The newest one of a session.
    pub(crate) fn newest_notification(
        &self,
        session: &SessionId,
    ) -> Result<Option<Notification>, EngineError> {
        self.store
            .read(|tx| match tx.newest_notable_event(session)? {
                Some((event, is_claimed)) => notification(tx, &event, is_claimed),
                None => Ok(None),
            })
    }
}

/// What is shown of an event. A session that was forgotten since has nothing to show.
fn notification(
    tx: &Tx<'_>,
    event: &Event,
    is_claimed: bool,
) -> Result<Option<Notification>, EngineError> {
    let Some(id) = &event.session else {
        return Ok(None);
    };
    Ok(notice(tx, id, &event.body)?.map(|notice| Notification {
        event: event.seq,
        at: event.at,
        session: id.clone(),
        kind: event.body.name(),
        notice,
        is_claimed,
    }))
}

fn notice(tx: &Tx<'_>, id: &SessionId, body: &EventBody) -> Result<Option<Notice>, EngineError> {
    let Some(session) = tx.find_session(id)? else {
        return Ok(None);
    };
    Ok(match body {
        EventBody::IterationFinished {
            iteration, outcome, ..
        } => {
            let iteration = tx.find_iteration(id, *iteration)?;
            let ended = iteration.filter(|it| matches!(it.progress, Progress::Finished(_)));
            ended.and_then(|iteration| Notice::of_iteration(&session, &iteration, *outcome))
        }
        EventBody::PermissionRequested { what, .. } => {
            let words = format!("wants to {what}: allow or reject?");
            Some(Notice::of_question(&session, &words))
        }
        EventBody::ScriptFinished { run, .. } => {
            let run = tx.find_script_run(*run)?.filter(is_its_own);
            run.and_then(|run| Notice::of_run(&session, &run, run.finished?.result))
        }
        EventBody::OperationFinished {
            operation,
            operation_kind: OperationKind::Rebase,
            ..
        } => {
            let operation = tx.find_operation(*operation)?;
            let stopped = operation.filter(|it| it.after.rebase.is_some());
            stopped.map(|operation| Notice::of_conflict(&session, &operation))
        }
        _ => None,
    })
}

/// What is a part of something else is told with it.
fn is_its_own(run: &ScriptRun) -> bool {
    run.iteration.is_none() && !matches!(run.script.as_str(), TEARDOWN_SCRIPT | DROP_SCRIPT)
}
