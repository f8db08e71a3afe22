//! The set-up of a session: what makes a new worktree ready. Its state is derived from its newest run and never stored.

use crate::{ScriptResult, ScriptRun};

/// How runs of the set-up are called.
pub const SETUP_SCRIPT: &str = "setup";
/// How runs of what takes the set-up back are called.
pub const TEARDOWN_SCRIPT: &str = "teardown";

/// How runs of what drops a database are called.
pub const DROP_SCRIPT: &str = "drop";
/// How runs are called that remove directories which the set-up makes again. No script of a repository has such a name.
pub const CLEAR_SCRIPT: &str = "gc --regenerable";

/// What took a set-up back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenBack {
    /// A cleanup.
    TornDown,
    /// Directories that it makes were removed, or some of them.
    Cleared,
}

/// How the set-up of a session stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SetupState {
    /// There was nothing to set up.
    #[default]
    None,
    /// It runs.
    Running,
    /// Everything is ready.
    Passed,
    /// A step failed, took too long or could not be taken.
    Failed,
    /// It was stopped, or what ran it died.
    Interrupted,
    /// A command of the repository's own settings file was not allowed.
    NotAllowed,
    /// It passed, and was taken back since.
    TornDown,
    /// It passed, and directories that it makes were removed since.
    Cleared,
    /// It passed, and the settings want a database since that it did not make.
    Outdated,
}

impl SetupState {
    /// The state after its newest run, and what took that back since.
    #[must_use]
    pub fn of(run: &ScriptRun, taken_back: Option<TakenBack>) -> Self {
        match run.finished.map(|end| end.result) {
            None => Self::Running,
            Some(ScriptResult::Exited(0)) => match taken_back {
                None => Self::Passed,
                Some(TakenBack::TornDown) => Self::TornDown,
                Some(TakenBack::Cleared) => Self::Cleared,
            },
            Some(
                ScriptResult::Exited(_)
                | ScriptResult::Signalled(_)
                | ScriptResult::TimedOut
                | ScriptResult::OutputLimit
                | ScriptResult::Unrunnable,
            ) => Self::Failed,
            Some(ScriptResult::Stopped | ScriptResult::Interrupted) => Self::Interrupted,
            Some(ScriptResult::NotAllowed) => Self::NotAllowed,
        }
    }

    /// The state of a session that has databases which nobody made yet: only a set-up that passed has anything to do with them.
    #[must_use]
    pub fn with_unmade_databases(self) -> Self {
        if self == Self::Passed {
            return Self::Outdated;
        }
        self
    }

    /// Its word in `--json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Running => "running",
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::NotAllowed => "not_allowed",
            Self::TornDown => "torn_down",
            Self::Cleared => "cleared",
            Self::Outdated => "outdated",
        }
    }

    /// What became of it, for people: "the set-up ...".
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::None => "has nothing to do",
            Self::Running => "runs",
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Interrupted => "was interrupted",
            Self::NotAllowed => "is not allowed yet",
            Self::TornDown => "was taken back",
            Self::Cleared => "has to be done again",
            Self::Outdated => "passed before a database was added",
        }
    }

    /// Whether the user has to do something before work can begin.
    #[must_use]
    pub const fn is_wanting(self) -> bool {
        match self {
            Self::Failed
            | Self::Interrupted
            | Self::NotAllowed
            | Self::TornDown
            | Self::Cleared => true,
            Self::None | Self::Running | Self::Passed | Self::Outdated => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ScriptEnd, Timestamp};

    fn run(result: Option<ScriptResult>) -> ScriptRun {
        ScriptRun {
            key: 1,
            session: "k7m2qd".parse().unwrap(),
            iteration: None,
            script: SETUP_SCRIPT.to_owned(),
            command: "npm ci".to_owned(),
            started_at: Timestamp::UNIX_EPOCH,
            finished: result.map(|result| ScriptEnd {
                at: Timestamp::UNIX_EPOCH,
                result,
            }),
            runner: None,
            commit: None,
            server: None,
            problem: None,
        }
    }

    #[test]
    fn the_newest_run_decides() {
        let cases = [
            (None, SetupState::Running),
            (Some(ScriptResult::Exited(0)), SetupState::Passed),
            (Some(ScriptResult::Exited(3)), SetupState::Failed),
            (Some(ScriptResult::Signalled(9)), SetupState::Failed),
            (Some(ScriptResult::TimedOut), SetupState::Failed),
            (Some(ScriptResult::Unrunnable), SetupState::Failed),
            (Some(ScriptResult::Stopped), SetupState::Interrupted),
            (Some(ScriptResult::Interrupted), SetupState::Interrupted),
            (Some(ScriptResult::NotAllowed), SetupState::NotAllowed),
        ];
        for (result, expected) in cases {
            assert_eq!(SetupState::of(&run(result), None), expected, "{result:?}");
            let wants = !matches!(expected, SetupState::Running | SetupState::Passed);
            assert_eq!(expected.is_wanting(), wants, "{expected:?}");
        }
        let passed = run(Some(ScriptResult::Exited(0)));
        let outdated = SetupState::of(&passed, None).with_unmade_databases();
        assert_eq!(
            (outdated, outdated.is_wanting()),
            (SetupState::Outdated, false)
        );
        assert!(outdated.in_words().starts_with("passed"));
        assert_eq!(
            SetupState::Failed.with_unmade_databases(),
            SetupState::Failed
        );
        for (by, expected) in [
            (TakenBack::TornDown, SetupState::TornDown),
            (TakenBack::Cleared, SetupState::Cleared),
        ] {
            assert_eq!(SetupState::of(&passed, Some(by)), expected);
            assert!(expected.is_wanting());
            let failed = run(Some(ScriptResult::Exited(1)));
            assert_eq!(SetupState::of(&failed, Some(by)), SetupState::Failed);
        }
    }
}
