//! What was left out while loading, so that nothing is ignored in silence.

use std::fmt;
use std::path::PathBuf;

use orchestra_core::first_of;

use crate::origin::{Origin, Place};

const SHOWN_LINES: usize = 5;

/// Something in a settings source that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// No setting has this name.
    UnknownKey {
        /// What was found.
        key: String,
        /// Where.
        place: Place,
        /// The setting with the most similar name; for a variable, its variable.
        nearest: Option<String>,
    },
    /// The setting is about an agent that does not exist.
    UnknownAgent {
        /// The setting.
        key: String,
        /// Where it comes from.
        origin: Origin,
        /// The agents there are.
        known: Vec<String>,
    },
    /// The setting names a file that is not there.
    MissingFile {
        /// The setting.
        key: String,
        /// The file.
        path: PathBuf,
    },
    /// The file that the setting names has lines that mean nothing.
    StrangeLines {
        /// The setting.
        key: String,
        /// The file.
        path: PathBuf,
        /// The lines, counted from 1.
        lines: Vec<usize>,
    },
    /// The repository file holds something it has no say over.
    Ignored {
        /// The setting.
        key: String,
        /// Where it stands.
        place: Place,
        /// Why it was not taken.
        refusal: Refusal,
        /// The file that may hold it.
        user_file: PathBuf,
    },
    /// A mistake that keeps nobody from looking.
    LeftOut {
        /// The mistake, in words.
        mistake: String,
        /// The stable name of the error it is for whoever acts.
        code: &'static str,
        /// How it is put right.
        correction: Option<String>,
    },
}

/// Why a value in the repository file is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The setting names programs, loosens safety, or is the user's own affair.
    UserOnly,
    /// The value allows more than the user's own.
    LoosensLimit,
    /// The path leads out of the repository or into `.git`.
    LeavesRepository,
}

impl Warning {
    /// A stable name for this kind of warning.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownKey { .. } => "config.unknown_key",
            Self::UnknownAgent { .. } => "config.unknown_agent",
            Self::MissingFile { .. } => "config.missing_file",
            Self::StrangeLines { .. } => "config.strange_lines",
            Self::Ignored { .. } => "config.ignored",
            Self::LeftOut { code, .. } => code,
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::UnknownKey {
                nearest: Some(nearest),
                ..
            } => format!("did you mean `{nearest}`?"),
            Self::UnknownKey { nearest: None, .. } => {
                "`orchestra config list` shows every setting".to_owned()
            }
            Self::UnknownAgent { known, .. } => format!(
                "the agents are {}; one of your own needs `agents.<name>.protocol`",
                known.join(", ")
            ),
            Self::MissingFile { key, .. } => {
                format!("make it, or clear the setting: orchestra config unset {key}")
            }
            Self::StrangeLines { .. } => {
                "docs/agents.md shows what a line says; one that begins with # is left out"
                    .to_owned()
            }
            Self::LeftOut { correction, .. } => return correction.clone(),
            Self::Ignored { key, user_file, .. } => {
                format!(
                    "if you want this, set `{key}` in your own file `{}`",
                    user_file.display()
                )
            }
        })
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey {
                key,
                place: Place::Variable(_),
                ..
            } => {
                write!(formatter, "the environment variable {key} sets nothing")
            }
            Self::UnknownKey { key, place, .. } => {
                write!(formatter, "there is no setting `{key}` ({place})")
            }
            Self::UnknownAgent { key, origin, .. } => {
                write!(formatter, "there is no agent for `{key}` ({origin})")
            }
            Self::MissingFile { key, path } => {
                let path = path.display();
                write!(formatter, "there is no file `{path}`, which `{key}` names")
            }
            Self::StrangeLines { key, path, lines } => {
                let (path, lines) = (path.display(), first_of(lines, SHOWN_LINES));
                write!(
                    formatter,
                    "`{path}`, which `{key}` names, says nothing that can be read in line {lines}"
                )
            }
            Self::Ignored {
                key,
                place,
                refusal,
                ..
            } => {
                write!(formatter, "`{key}` is ignored ({place}): {refusal}")
            }
            Self::LeftOut { mistake, .. } => {
                write!(formatter, "{mistake}; it is left out")
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::UserOnly => "a repository has no say over it",
            Self::LoosensLimit => "a repository may only make this stricter",
            Self::LeavesRepository => {
                "a repository may only name a folder inside itself, outside `.git`"
            }
        })
    }
}
