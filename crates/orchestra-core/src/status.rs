//! A session stores facts; its status is derived from them and never stored.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::FailureCause;

/// What is known about a session at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionFacts {
    /// The session's directory.
    pub worktree: WorktreeFact,
    /// The latest iteration, if there is one.
    pub iteration: Option<IterationFacts>,
    /// The agent of the iteration that runs waits until it is told whether it may use a tool.
    pub asks_permission: bool,
    /// What has no end recorded beside iterations.
    pub script: Option<ScriptFact>,
    /// Whether a living process works on the session.
    pub lease: Lease,
    /// A rebase stopped at a conflict.
    pub rebase_in_progress: bool,
    /// The work is part of the base.
    pub landed: bool,
}

/// A script that has no end recorded and belongs to no iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptFact {
    /// Somebody started it by hand.
    ByHand,
    /// It makes the worktree ready.
    Setup,
}

/// What is known about the session's worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorktreeFact {
    /// Branch and path are reserved; files are being written.
    Reserved,
    /// It was made completely.
    Ready,
    /// It was made, but the directory is not there any more.
    Missing,
    /// It was moved into the trash.
    Trashed,
}

/// Whether a living process works on a session. The operating system answers, through a file lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease {
    /// A living process holds it.
    Held,
    /// Nobody holds it.
    Free,
    /// It could not be asked.
    Unknown,
}

/// What is known about an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IterationFacts {
    /// How far it came.
    pub phase: Phase,
}

/// How far an iteration came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It waits for a free slot.
    Queued,
    /// The agent works, or its work is being committed.
    Running,
    /// It waits for the agent's provider, and goes on by itself.
    Parked,
    /// The script runs.
    Evaluating,
    /// It is over.
    Finished(Outcome),
}

/// How an iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "cause")]
pub enum Outcome {
    /// The agent finished its turn.
    Succeeded,
    /// The agent wants an answer.
    AwaitingInput,
    /// The provider made it wait.
    Blocked(FailureCause),
    /// The user stopped it.
    Stopped,
    /// The agent failed.
    Failed(FailureCause),
    /// Its runner died or the machine went down.
    Interrupted,
    /// It was interrupted, and the user has decided what becomes of its changes.
    Settled(Settlement),
}

/// What the user decided about the changes of an interrupted iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// They were committed.
    Kept,
    /// They were thrown away.
    Discarded,
}

impl Settlement {
    /// In a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Discarded => "discarded",
        }
    }
}

impl Outcome {
    /// The short name used in the store, in `--json` and on screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::AwaitingInput => "awaiting_input",
            Self::Blocked(_) => "blocked",
            Self::Stopped => "stopped",
            Self::Failed(_) => "failed",
            Self::Interrupted | Self::Settled(_) => "interrupted",
        }
    }

    /// Why it did not succeed, where that is known.
    #[must_use]
    pub const fn cause(self) -> Option<FailureCause> {
        match self {
            Self::Blocked(cause) | Self::Failed(cause) => Some(cause),
            Self::Stopped => Some(FailureCause::Stopped),
            Self::Interrupted | Self::Settled(_) => Some(FailureCause::Interrupted),
            Self::Succeeded | Self::AwaitingInput => None,
        }
    }
}

/// A session's status as people and programs see it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// Its worktree is being made.
    Initializing,
    /// It waits for a free slot.
    Queued,
    /// Nothing runs.
    Idle,
    /// The agent works.
    Running,
    /// The agent asked something.
    AwaitingInput,
    /// Something outside (a rate limit, CI) makes it wait.
    Blocked,
    /// The script or the evaluators run.
    Evaluating,
    /// A rebase stopped at a conflict.
    Conflicted,
    /// What worked on it died; the worktree is as it was left.
    Interrupted,
    /// The last run failed, or the worktree is gone.
    Error,
    /// Landed.
    Completed,
    /// It cannot be told.
    Unknown,
}

impl SessionStatus {
    /// All statuses, in the order above.
    pub const ALL: [Self; 12] = [
        Self::Initializing,
        Self::Queued,
        Self::Idle,
        Self::Running,
        Self::AwaitingInput,
        Self::Blocked,
        Self::Evaluating,
        Self::Conflicted,
        Self::Interrupted,
        Self::Error,
        Self::Completed,
        Self::Unknown,
    ];

    /// The short name used in `--json`, in filters and on screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Initializing => "initializing",
            Self::Queued => "queued",
            Self::Idle => "idle",
            Self::Running => "running",
            Self::AwaitingInput => "awaiting_input",
            Self::Blocked => "blocked",
            Self::Evaluating => "evaluating",
            Self::Conflicted => "conflicted",
            Self::Interrupted => "interrupted",
            Self::Error => "error",
            Self::Completed => "completed",
            Self::Unknown => "unknown",
        }
    }

    /// Whether something works on the session now, so that nothing else may start.
    #[must_use]
    pub const fn is_active(self) -> bool {
        match self {
            Self::Initializing | Self::Queued | Self::Running | Self::Evaluating => true,
            Self::Idle
            | Self::AwaitingInput
            | Self::Blocked
            | Self::Conflicted
            | Self::Interrupted
            | Self::Error
            | Self::Completed
            | Self::Unknown => false,
        }
    }

    /// Whether something works on the session now, or may: silence proves nothing.
    #[must_use]
    pub const fn may_be_active(self) -> bool {
        self.is_active() || matches!(self, Self::Unknown)
    }

    /// Whether the session cannot go on without the user.
    #[must_use]
    pub const fn needs_user(self) -> bool {
        match self {
            Self::AwaitingInput
            | Self::Blocked
            | Self::Conflicted
            | Self::Interrupted
            | Self::Error => true,
            Self::Initializing
            | Self::Queued
            | Self::Idle
            | Self::Running
            | Self::Evaluating
            | Self::Completed
            | Self::Unknown => false,
        }
    }
}

impl fmt::Display for SessionStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// The text names no status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a status; there are {names}", names = all_names())]
pub struct UnknownStatus(String);

fn all_names() -> String {
    SessionStatus::ALL.map(SessionStatus::name).join(", ")
}

impl FromStr for SessionStatus {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted = text.replace('-', "_");
        Self::ALL
            .into_iter()
            .find(|status| status.name() == wanted)
            .ok_or_else(|| UnknownStatus(text.to_owned()))
    }
}

/// Derives the status. What somebody works on comes first, then what stopped, then how the last run went.
#[must_use]
pub fn derive(facts: SessionFacts) -> SessionStatus {
    if let Some(status) = unfinished(facts) {
        return status;
    }
    // What landed and was put away waits for nobody, whatever its directory was in the middle of.
    let is_put_away = facts.landed && facts.worktree == WorktreeFact::Trashed;
    if facts.rebase_in_progress && !is_put_away {
        return SessionStatus::Conflicted;
    }
    if facts.landed {
        return SessionStatus::Completed;
    }
    if facts.worktree == WorktreeFact::Missing {
        return SessionStatus::Error;
    }
    match facts.iteration.map(|iteration| iteration.phase) {
        None
        | Some(Phase::Finished(Outcome::Succeeded | Outcome::Stopped | Outcome::Settled(_))) => {
            SessionStatus::Idle
        }
        Some(Phase::Finished(Outcome::AwaitingInput)) => SessionStatus::AwaitingInput,
        Some(Phase::Finished(Outcome::Blocked(_))) => SessionStatus::Blocked,
        Some(Phase::Finished(Outcome::Failed(_))) => SessionStatus::Error,
        Some(Phase::Finished(Outcome::Interrupted)) => SessionStatus::Interrupted,
        Some(Phase::Queued | Phase::Running | Phase::Parked | Phase::Evaluating) => {
            SessionStatus::Unknown
        }
    }
}

/// The status of something that was begun and has no end recorded: the lease tells whether it goes on.
fn unfinished(facts: SessionFacts) -> Option<SessionStatus> {
    let going_on = match facts.iteration.map(|iteration| iteration.phase) {
        Some(Phase::Queued) => SessionStatus::Queued,
        Some(Phase::Running) if facts.asks_permission => SessionStatus::AwaitingInput,
        Some(Phase::Running) => SessionStatus::Running,
        Some(Phase::Parked) => SessionStatus::Blocked,
        Some(Phase::Evaluating) => SessionStatus::Evaluating,
        Some(Phase::Finished(_)) | None if facts.worktree == WorktreeFact::Reserved => {
            SessionStatus::Initializing
        }
        // A script that died leaves nothing to decide about: the session is as it was before.
        Some(Phase::Finished(_)) | None => match facts.script {
            Some(ScriptFact::ByHand) if facts.lease != Lease::Free => SessionStatus::Evaluating,
            Some(ScriptFact::Setup) if facts.lease != Lease::Free => SessionStatus::Initializing,
            Some(_) | None => return None,
        },
    };
    Some(match facts.lease {
        Lease::Held => going_on,
        Lease::Free => SessionStatus::Interrupted,
        Lease::Unknown => SessionStatus::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: SessionFacts = SessionFacts {
        worktree: WorktreeFact::Ready,
        iteration: None,
        asks_permission: false,
        script: None,
        lease: Lease::Free,
        rebase_in_progress: false,
        landed: false,
    };

    fn with(phase: Phase, lease: Lease) -> SessionFacts {
        SessionFacts {
            iteration: Some(IterationFacts { phase }),
            lease,
            ..IDLE
        }
    }

    #[test]
    fn what_goes_on_needs_a_held_lease() {
        let cases = [
            (Phase::Queued, SessionStatus::Queued),
            (Phase::Running, SessionStatus::Running),
            (Phase::Parked, SessionStatus::Blocked),
            (Phase::Evaluating, SessionStatus::Evaluating),
        ];
        for (phase, expected) in cases {
            assert_eq!(derive(with(phase, Lease::Held)), expected);
            assert_eq!(derive(with(phase, Lease::Free)), SessionStatus::Interrupted);
            assert_eq!(derive(with(phase, Lease::Unknown)), SessionStatus::Unknown);
        }
        let reserved = SessionFacts {
            worktree: WorktreeFact::Reserved,
            ..IDLE
        };
        assert_eq!(
            derive(SessionFacts {
                lease: Lease::Held,
                ..reserved
            }),
            SessionStatus::Initializing
        );
        assert_eq!(derive(reserved), SessionStatus::Interrupted);
    }

    #[test]
    fn an_agent_that_asks_waits_for_the_user_while_it_lives() {
        let asking = |phase, lease| SessionFacts {
            asks_permission: true,
            ..with(phase, lease)
        };
        let cases = [
            (Lease::Held, SessionStatus::AwaitingInput),
            (Lease::Free, SessionStatus::Interrupted),
            (Lease::Unknown, SessionStatus::Unknown),
        ];
        for (lease, expected) in cases {
            assert_eq!(derive(asking(Phase::Running, lease)), expected, "{lease:?}");
        }
        let ended = asking(Phase::Finished(Outcome::Stopped), Lease::Free);
        assert_eq!(derive(ended), SessionStatus::Idle);
    }

    #[test]
    fn a_script_started_by_hand_shows_while_it_runs() {
        let ended = Phase::Finished(Outcome::AwaitingInput);
        let cases = [
            (Lease::Held, SessionStatus::Evaluating),
            (Lease::Free, SessionStatus::AwaitingInput),
            (Lease::Unknown, SessionStatus::Unknown),
        ];
        for (lease, expected) in cases {
            let facts = |script| SessionFacts {
                script: Some(script),
                ..with(ended, lease)
            };
            assert_eq!(derive(facts(ScriptFact::ByHand)), expected, "{lease:?}");
            let expected = match lease {
                Lease::Held => SessionStatus::Initializing,
                Lease::Free | Lease::Unknown => expected,
            };
            assert_eq!(derive(facts(ScriptFact::Setup)), expected, "{lease:?}");
        }
        let dead_iteration = SessionFacts {
            script: Some(ScriptFact::ByHand),
            ..with(Phase::Running, Lease::Free)
        };
        assert_eq!(derive(dead_iteration), SessionStatus::Interrupted);
    }

    #[test]
    fn the_end_of_the_last_iteration_decides() {
        let cases = [
            (Outcome::Succeeded, SessionStatus::Idle),
            (Outcome::Stopped, SessionStatus::Idle),
            (Outcome::AwaitingInput, SessionStatus::AwaitingInput),
            (
                Outcome::Blocked(FailureCause::Overloaded),
                SessionStatus::Blocked,
            ),
            (Outcome::Failed(FailureCause::Crashed), SessionStatus::Error),
            (Outcome::Interrupted, SessionStatus::Interrupted),
            (Outcome::Settled(Settlement::Kept), SessionStatus::Idle),
        ];
        for (outcome, expected) in cases {
            for lease in [Lease::Held, Lease::Free, Lease::Unknown] {
                assert_eq!(
                    derive(with(Phase::Finished(outcome), lease)),
                    expected,
                    "{outcome:?} {lease:?}"
                );
            }
        }
        assert_eq!(derive(IDLE), SessionStatus::Idle);
    }

    #[test]
    fn landing_conflicts_and_a_missing_directory_show() {
        assert_eq!(
            derive(SessionFacts {
                landed: true,
                ..IDLE
            }),
            SessionStatus::Completed
        );
        assert_eq!(
            derive(SessionFacts {
                rebase_in_progress: true,
                ..IDLE
            }),
            SessionStatus::Conflicted
        );
        assert_eq!(
            derive(SessionFacts {
                worktree: WorktreeFact::Missing,
                ..IDLE
            }),
            SessionStatus::Error
        );
        let landed_and_stopped = SessionFacts {
            landed: true,
            rebase_in_progress: true,
            ..IDLE
        };
        assert_eq!(derive(landed_and_stopped), SessionStatus::Conflicted);
        let put_away = SessionFacts {
            worktree: WorktreeFact::Trashed,
            ..landed_and_stopped
        };
        assert_eq!(derive(put_away), SessionStatus::Completed);
        let landed_and_running = SessionFacts {
            landed: true,
            ..with(Phase::Running, Lease::Held)
        };
        assert_eq!(derive(landed_and_running), SessionStatus::Running);
    }

    #[test]
    fn names_round_trip() {
        for status in SessionStatus::ALL {
            assert_eq!(status.name().parse::<SessionStatus>(), Ok(status));
            assert_eq!(
                serde_json::to_string(&status).unwrap(),
                format!("\"{}\"", status.name())
            );
            assert!(!(status.is_active() && status.needs_user()), "{status}");
        }
        assert_eq!(
            "awaiting-input".parse::<SessionStatus>(),
            Ok(SessionStatus::AwaitingInput)
        );
        assert!("busy".parse::<SessionStatus>().is_err());
    }
}
