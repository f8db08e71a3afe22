//! Why a session is not set up.

use std::path::PathBuf;

use orchestra_core::{SessionId, SetupState};

/// A session is not set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// Its set-up did not come to a good end.
    #[error("the set-up of session {session} {}", state.in_words())]
    NotReady {
        /// Which session.
        session: SessionId,
        /// How its set-up stands.
        state: SetupState,
        /// The log of its last run.
        log: PathBuf,
    },
    /// The settings name nothing to set up.
    #[error("there is nothing to set up in session {session}")]
    Nothing {
        /// Which session.
        session: SessionId,
    },
}

impl SetupError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotReady { .. } => "setup.not_ready",
            Self::Nothing { .. } => "setup.nothing",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NotReady {
                session,
                state: SetupState::NotAllowed,
                ..
            } => format!(
                "`orchestra session setup {session}` shows its commands and asks, `--yes` allows them; or go on with --without-setup"
            ),
            Self::NotReady { session, log, .. } => format!(
                "its log is {}; `orchestra session setup {session}` runs it again, --without-setup goes on without it",
                log.display()
            ),
            Self::Nothing { .. } => {
                "set `worktree.copy`, databases or `commands.setup` in .orchestra/config.toml; docs/environments.md has recipes".to_owned()
            }
        }
    }
}
