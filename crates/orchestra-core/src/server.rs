//! Servers: scripts that stay, such as a dev server. How one stands is derived from its run and never stored.

use crate::{ScriptResult, ScriptRun, Timestamp};

/// What is known of a run because it is a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// Where it is reached.
    pub url: Option<String>,
    /// The port it was told to listen on.
    pub port: Option<u16>,
    /// When it was ready.
    pub ready_at: Option<Timestamp>,
    /// When the time was over in which it should have been.
    pub late_at: Option<Timestamp>,
}

impl ServerFacts {
    /// An address without a host name, for programs that cannot resolve one below `localhost`.
    #[must_use]
    pub fn local_url(&self) -> Option<String> {
        self.port.map(|port| format!("http://127.0.0.1:{port}/"))
    }
}

/// How a server stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerState {
    /// It runs, and may become ready.
    Starting,
    /// It can be used.
    Ready,
    /// It runs, and is not ready although its time for that is over.
    NotReady,
    /// It ended by itself, and well.
    Ended,
    /// It ended by itself, and not well.
    Failed,
    /// Somebody stopped it, or its session was put away or cleaned up.
    Stopped,
    /// What ran it died, and it with that.
    Interrupted,
}

impl ServerState {
    /// The state of a run, if it is a server.
    #[must_use]
    pub fn of(run: &ScriptRun) -> Option<Self> {
        let facts = run.server.as_ref()?;
        Some(match run.finished.map(|end| end.result) {
            None if facts.ready_at.is_some() => Self::Ready,
            None if facts.late_at.is_some() => Self::NotReady,
            None => Self::Starting,
            Some(ScriptResult::Exited(0)) => Self::Ended,
            Some(
                ScriptResult::Exited(_)
                | ScriptResult::Signalled(_)
                | ScriptResult::TimedOut
                | ScriptResult::OutputLimit
                | ScriptResult::Unrunnable,
            ) => Self::Failed,
            Some(ScriptResult::Stopped) => Self::Stopped,
            Some(ScriptResult::Interrupted | ScriptResult::NotAllowed) => Self::Interrupted,
        })
    }

    /// Its word in `--json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::NotReady => "not_ready",
            Self::Ended => "ended",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
        }
    }

    /// What there is to say of it: "the server ...".
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Starting => "is starting",
            Self::Ready => "is ready",
            Self::NotReady => "runs, but is not ready",
            Self::Ended => "has ended",
            Self::Failed => "has failed",
            Self::Stopped => "is stopped",
            Self::Interrupted => "was interrupted",
        }
    }

    /// Whether it runs.
    #[must_use]
    pub const fn is_running(self) -> bool {
        match self {
            Self::Starting | Self::Ready | Self::NotReady => true,
            Self::Ended | Self::Failed | Self::Stopped | Self::Interrupted => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ScriptEnd;

    fn run(server: Option<ServerFacts>, result: Option<ScriptResult>) -> ScriptRun {
        ScriptRun {
            key: 1,
            session: "k7m2qd".parse().unwrap(),
            iteration: None,
            script: "dev".to_owned(),
            command: "npm run dev".to_owned(),
            started_at: Timestamp::UNIX_EPOCH,
            finished: result.map(|result| ScriptEnd {
                at: Timestamp::UNIX_EPOCH,
                result,
            }),
            runner: None,
            commit: None,
            server: server.map(Box::new),
            problem: None,
        }
    }

    #[test]
    fn a_script_that_does_not_stay_has_no_such_state() {
        assert_eq!(ServerState::of(&run(None, None)), None);
    }

    #[test]
    fn while_it_runs_its_readiness_decides() {
        let now = Some(Timestamp::UNIX_EPOCH);
        for (ready_at, late_at, expected) in [
            (None, None, ServerState::Starting),
            (None, now, ServerState::NotReady),
            (now, None, ServerState::Ready),
            (now, now, ServerState::Ready),
        ] {
            let facts = ServerFacts {
                ready_at,
                late_at,
                ..ServerFacts::default()
            };
            let state = ServerState::of(&run(Some(facts), None)).unwrap();
            assert_eq!(state, expected);
            assert!(state.is_running());
        }
    }

    #[test]
    fn afterwards_its_end_decides() {
        let facts = ServerFacts {
            ready_at: Some(Timestamp::UNIX_EPOCH),
            ..ServerFacts::default()
        };
        for (result, expected) in [
            (ScriptResult::Exited(0), ServerState::Ended),
            (ScriptResult::Exited(1), ServerState::Failed),
            (ScriptResult::Signalled(9), ServerState::Failed),
            (ScriptResult::Unrunnable, ServerState::Failed),
            (ScriptResult::Stopped, ServerState::Stopped),
            (ScriptResult::Interrupted, ServerState::Interrupted),
        ] {
            let state = ServerState::of(&run(Some(facts.clone()), Some(result))).unwrap();
            assert_eq!(state, expected, "{result:?}");
            assert!(!state.is_running());
        }
    }
}
