//! What waits or runs in a session: an iteration, or a script that somebody started by hand. Both hold the session's lease,
//! so there is one of them at a time. Servers run beside that.

use orchestra_core::status::Lease;
use orchestra_core::{Iteration, ScriptRun, SessionId, Timestamp};
use orchestra_store::ControlTarget;

use crate::view::SessionView;
use crate::{Engine, EngineError};

/// Something that waits or runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// An iteration.
    Iteration(Box<Iteration>),
    /// A script that somebody started by hand.
    Script(ScriptRun),
}

impl Work {
    /// Its session.
    #[must_use]
    pub fn session(&self) -> &SessionId {
        match self {
            Self::Iteration(iteration) => &iteration.session,
            Self::Script(run) => &run.session,
        }
    }

    /// Since when it is at it: running, or waiting while it has not begun.
    #[must_use]
    pub fn since(&self) -> Timestamp {
        match self {
            Self::Iteration(iteration) => iteration.started_at.unwrap_or(iteration.queued_at),
            Self::Script(run) => run.started_at,
        }
    }

    pub(crate) fn target(&self) -> ControlTarget {
        match self {
            Self::Iteration(iteration) => ControlTarget::Iteration(iteration.key),
            Self::Script(run) => ControlTarget::ScriptRun(run.key),
        }
    }
}

impl SessionView {
    /// What was begun in the session and has no end recorded.
    #[must_use]
    pub fn work(&self) -> Option<Work> {
        let iteration = self.iteration.as_ref();
        match iteration.filter(|iteration| !iteration.progress.is_finished()) {
            Some(iteration) => Some(Work::Iteration(Box::new(iteration.clone()))),
            None => self.script_run.clone().map(Work::Script),
        }
    }
}

impl Engine {
    /// What waits or runs: iterations in the order they were asked for, then scripts.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn queue(&self) -> Result<Vec<Work>, EngineError> {
        let (iterations, scripts) = self.store.read(|tx| {
            let iterations = tx.unfinished_iterations()?;
            Ok::<_, EngineError>((iterations, tx.unfinished_script_runs()?))
        })?;
        let iterations = iterations
            .into_iter()
            .map(|iteration| Work::Iteration(Box::new(iteration)));
        let by_hand = |run: &ScriptRun| run.iteration.is_none() && run.server.is_none();
        let scripts = scripts.into_iter().filter(by_hand);
        // A lease that cannot be asked may have a living holder.
        Ok(iterations
            .chain(scripts.map(Work::Script))
            .filter(|work| self.leases.state(work.session()) != Lease::Free)
            .collect())
    }
}
