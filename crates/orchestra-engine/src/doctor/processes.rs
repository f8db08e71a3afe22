//! Processes: whether all of a tree can be ended here, those of runs that are over, and those nobody knows.

use orchestra_config::variables;
use orchestra_core::status::Lease;
use orchestra_core::{ScriptRun, Session, SessionId};
use orchestra_process::{
    ProcessError, ProcessIdentity, ProcessUsing, processes_using_each, processes_with_marker_prefix,
};

use super::{Diagnosis, Health};
use crate::{Engine, EngineError, Obstacle};

impl Engine {
    /// Processes of runs that are over.
    pub(super) fn check_leftovers(&self, fix: bool) -> Result<Vec<Diagnosis>, EngineError> {
        let prefix = format!("{}:", self.store.epoch()?);
        let leftovers: Vec<_> = processes_with_marker_prefix(variables::ORCHESTRA_RUN, &prefix)
            .into_iter()
            .filter(|process| !self.is_wanted(&process.marker.value[prefix.len()..]))
            .collect();
        if leftovers.is_empty() {
            return Ok(vec![Diagnosis::new(
                "processes",
                Health::Good,
                "nothing runs that should not",
            )]);
        }
        let count = leftovers.len();
        if !fix {
            let detail = format!("{count} process(es) of ended runs");
            let check = Diagnosis::new("processes", Health::Bad, detail);
            return Ok(vec![check.hint("`orchestra doctor --fix` ends them")]);
        }
        for process in leftovers {
            orchestra_process::sweep_marked(&process.marker);
        }
        let detail = format!("ended {count} process(es) of ended runs");
        Ok(vec![Diagnosis::new("processes", Health::Fixed, detail)])
    }

    /// Processes that use the directory of a session in which nothing works. They have no mark of ours: a shell of the user, or
    /// what an agent started that had cleared its environment. Nobody knows which, so none is ended.
    pub(super) fn check_strangers(&self) -> Result<Vec<Diagnosis>, EngineError> {
        let resting = self.resting_sessions()?;
        let directories: Vec<_> = resting.iter().map(|it| it.worktree.as_path()).collect();
        let users = match processes_using_each(&directories) {
            Err(ProcessError::Unsupported { .. }) => return Ok(Vec::new()),
            users => users?,
        };
        if users.iter().all(Vec::is_empty) {
            return Ok(Vec::new());
        }
        // Asked after them, because what was started meanwhile has a mark too, and what ended meanwhile may have had one.
        let prefix = format!("{}:", self.store.epoch()?);
        let marked = processes_with_marker_prefix(variables::ORCHESTRA_RUN, &prefix);
        let is_stranger = |user: &ProcessUsing| {
            let is_marked = marked.iter().any(|it| it.identity.pid == user.pid);
            !is_marked && ProcessIdentity::of(user.pid).is_some()
        };
        let of_each = resting.iter().zip(users).filter_map(|(session, users)| {
            stranger_check(session, users.into_iter().filter(is_stranger).collect())
        });
        Ok(of_each.collect())
    }

    /// Sessions whose directories are there and have nothing of ours that works in them.
    fn resting_sessions(&self) -> Result<Vec<Session>, EngineError> {
        let mut resting = Vec::new();
        for session in self.all_sessions()? {
            if session.trash.is_some() || !session.worktree.is_dir() {
                continue;
            }
            let is_free = self.leases.state(&session.id) == Lease::Free;
            if is_free && self.session(&session.id)?.is_at_rest() {
                resting.push(session);
            }
        }
        Ok(resting)
    }

    /// Whether the run a mark names still has a living runner, or waits for one.
    fn is_wanted(&self, run: &str) -> bool {
        let Some((session, what)) = run.split_once(':') else {
            return false;
        };
        let Ok(id) = session.parse() else {
            return false;
        };
        if let Some(key) = what.strip_prefix("script-") {
            let run = key.parse().ok().and_then(|key| self.script_run(key).ok());
            let has_keeper =
                |run: &ScriptRun| self.lease_of(run) != Lease::Free || self.has_guardian(run);
            return run.is_some_and(|run| run.finished.is_none() && has_keeper(&run));
        }
        // A lease that cannot be asked may have a living holder.
        self.leases.state(&id) != Lease::Free && self.is_unfinished(&id, what)
    }

    /// Whether this is the iteration that goes on. A store that cannot be asked does not say that it is over.
    fn is_unfinished(&self, id: &SessionId, number: &str) -> bool {
        let latest = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.latest_iteration(id)?));
        let Ok(latest) = latest else { return true };
        latest.is_some_and(|iteration| {
            !iteration.progress.is_finished() && iteration.number.to_string() == number
        })
    }
}

fn stranger_check(session: &Session, users: Vec<ProcessUsing>) -> Option<Diagnosis> {
    if users.is_empty() {
        return None;
    }
    let used = Obstacle::InUse(users);
    let detail = format!("nothing of Orchestra works in it, but {used}");
    let check = Diagnosis::of_session(session, Health::Note, detail);
    Some(check.hint("if it is none of your own programs, an agent left it: `kill <process>` ends it; --fix leaves it alone"))
}

pub(super) fn check_processes() -> Diagnosis {
    if cfg!(target_os = "linux") {
        Diagnosis::new(
            "process control",
            Health::Good,
            "whole process trees are ended, detached ones too",
        )
    } else {
        Diagnosis::new(
            "process control",
            Health::Note,
            "process groups are ended; a program that detaches itself may survive",
        )
    }
}
