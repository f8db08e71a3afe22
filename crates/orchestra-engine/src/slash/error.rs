//! Why a slash command cannot be used.

use std::path::PathBuf;

use orchestra_core::slash::{CallError, InvalidSlashName, SlashName};

/// Names that share less are no help.
const ALIKE: f64 = 0.5;

/// A slash command cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SlashError {
    /// No slash command is called so.
    #[error("there is no slash command /{name}")]
    Unknown {
        /// What was written.
        name: String,
        /// The one that is written almost so.
        near: Option<String>,
    },
    /// A file says what no slash command can say.
    #[error("{}, line {line}, is not a slash command: {problem}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Where in it.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// A file has the name of a command of the product.
    #[error("/{0} is built in, so a file cannot have its name")]
    Shadows(SlashName),
    /// A folder with more files than anybody wrote.
    #[error("{} has more than {most} files", folder.display())]
    TooManyFiles {
        /// The folder.
        folder: PathBuf,
        /// How many there may be.
        most: usize,
    },
    /// A name that no slash command can have.
    #[error(transparent)]
    Name(#[from] InvalidSlashName),
    /// The words do not fit the command.
    #[error(transparent)]
    Call(#[from] CallError),
}

impl SlashError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "slash.unknown",
            Self::Unreadable { .. } => "slash.unreadable",
            Self::Shadows(_) => "slash.built_in",
            Self::TooManyFiles { .. } => "slash.too_many_files",
            Self::Name(_) => "slash.invalid_name",
            Self::Call(error) => error.code(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown { name, near } => {
                let near = near.as_ref().map(|near| format!("did you mean /{near}? "));
                let near = near.unwrap_or_default();
                format!(
                    "{near}/help lists those there are; a text for the agent that begins with a slash is written //{name}"
                )
            }
            Self::Unreadable { .. } => {
                "docs/guide/slash-commands.md shows what such a file can say".to_owned()
            }
            Self::Shadows(_) => "give the file another name".to_owned(),
            Self::TooManyFiles { .. } => "keep only files there that are slash commands".to_owned(),
            Self::Name(_) => "choose a name such as review-file.md".to_owned(),
            Self::Call(error) => error.hint(),
        }
    }
}

/// The name that is most like what was written, if one is.
pub(super) fn nearest(wanted: &str, known: impl Iterator<Item = String>) -> Option<String> {
    let wanted = wanted.to_lowercase();
    let scored = known.map(|name| (strsim::normalized_damerau_levenshtein(&wanted, &name), name));
    scored
        .filter(|(score, _)| *score >= ALIKE)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, name)| name)
}
