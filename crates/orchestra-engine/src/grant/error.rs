//! Why somebody may not do what they ask for.

use std::path::PathBuf;

use orchestra_core::SessionId;
use orchestra_core::runtime::dollars;

/// Whoever asks may not do that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// The repository is not granted.
    #[error("the repository {} is not granted to you", .0.display())]
    Repository(PathBuf),
    /// As many sessions as granted are there.
    #[error("you have {most} session(s) that have not landed, and no more are granted to you")]
    Sessions {
        /// How many are granted.
        most: u32,
    },
    /// What is granted is spent or promised.
    #[error(
        "of {} granted to you, {} are left for new work, and {} were asked for",
        dollars(*.most),
        dollars(*.left),
        dollars(*.wished)
    )]
    Budget {
        /// What is granted.
        most: u64,
        /// What is left of it.
        left: u64,
        /// What was asked for.
        wished: u64,
    },
    /// What a session costs cannot be held against what is granted.
    #[error("what the session {0} costs cannot be held against your budget")]
    Uncounted(SessionId),
    /// Landing is not granted.
    #[error("landing is not granted to you")]
    Landing,
    /// Deletion is not granted.
    #[error("cleaning up, discarding and forgetting are not granted to you")]
    Deletion,
    /// With the session, what it cost would be forgotten.
    #[error("what the session {0} has cost counts against your budget, so it is not forgotten")]
    Forgets(SessionId),
    /// Somebody else made the session.
    #[error("the session {0} was not made by you")]
    NotOwn(SessionId),
    /// A mode could decide what an agent asks the user for.
    #[error(
        "the mode `{0}` may decide what the agent asks the user for, and is not granted to you"
    )]
    Mode(String),
    /// The caller runs inside of this very session.
    #[error("you run inside of the session {0}, which is not to be changed from there")]
    Inside(SessionId),
}

impl GrantError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Repository(_) => "grant.repository",
            Self::Sessions { .. } => "grant.sessions",
            Self::Budget { .. } => "grant.budget",
            Self::Uncounted(_) => "grant.uncounted",
            Self::Landing => "grant.landing",
            Self::Deletion => "grant.deletion",
            Self::Forgets(_) => "grant.forgets",
            Self::NotOwn(_) => "grant.not_own",
            Self::Mode(_) => "grant.mode",
            Self::Inside(_) => "grant.inside",
        }
    }

    /// What to do next.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Repository(_) => "the user grants it with `orchestra mcp serve --repository`",
            Self::Sessions { .. } => {
                "go on in one of them, let one land, or ask the user for more with `--sessions`"
            }
            Self::Budget { .. } => {
                "ask for less, let a session land so that what it did not use is free again, or ask the user for more with `--budget`"
            }
            Self::Uncounted(_) => "make a session of your own, which gets a budget",
            Self::Landing => "the user lands it, or grants that with `orchestra mcp serve --allow-land`",
            Self::Deletion => {
                "the user does that, or grants it with `orchestra mcp serve --allow-delete`"
            }
            Self::Forgets(_) => "the user forgets it, or serves without `--budget`",
            Self::NotOwn(_) => {
                "you may look at it; the user grants more with `orchestra mcp serve --all-sessions`"
            }
            Self::Mode(_) => {
                "leave the mode out; the user names those that may be used with `environments.<name>.modes`"
            }
            Self::Inside(_) => "finish your turn; whoever started you goes on from there",
        }
        .to_owned()
    }
}
