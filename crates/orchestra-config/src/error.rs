//! What stops settings from being loaded or changed.

use std::io;
use std::path::PathBuf;

use crate::origin::Place;
use crate::variables;
use crate::warning::Refusal;

/// Why settings could not be loaded or changed.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A settings file exists and cannot be read.
    #[error("cannot read the settings file `{}`", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A settings file is not TOML.
    #[error("{place} is not valid TOML: {message}")]
    Syntax {
        /// Where the mistake is.
        place: Place,
        /// What is wrong.
        message: String,
    },
    /// A value of the wrong type or outside what is allowed.
    #[error("`{key}` in {place} must be {expected}, not {found}")]
    Invalid {
        /// The setting.
        key: String,
        /// Where the value stands.
        place: Place,
        /// What would be right.
        expected: String,
        /// What was found.
        found: String,
    },
    /// No setting has this name.
    #[error("there is no setting `{key}`")]
    UnknownKey {
        /// What was asked for.
        key: String,
        /// The setting with the most similar name.
        nearest: Option<String>,
    },
    /// A repository file may not hold this setting.
    #[error("`{key}` cannot be set in a repository file: {refusal}")]
    NotSettable {
        /// The setting.
        key: String,
        /// Why not.
        refusal: Refusal,
    },
    /// Two settings give the same variable to what runs in a session.
    #[error("{first} and {second} would both set the variable {variable}")]
    Clash {
        /// The variable.
        variable: String,
        /// What sets it, in words.
        first: String,
        /// What sets it too.
        second: String,
    },
    /// Two sessions could be told the same database.
    #[error("`{key}` could be the same for two sessions")]
    SharedAddress {
        /// The setting.
        key: String,
    },
    /// A settings file cannot be written.
    #[error("cannot write the settings file `{}`", file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// There is no home directory to find files in.
    #[error("cannot find the home directory")]
    NoHome,
    /// A variable that names a place must not depend on the current directory.
    #[error("the environment variable {variable} must be an absolute path, not `{}`", path.display())]
    RelativePath {
        /// The variable.
        variable: &'static str,
        /// Its value.
        path: PathBuf,
    },
    /// A directory for data cannot be made.
    #[error("cannot create the directory `{}`", directory.display())]
    Uncreatable {
        /// The directory.
        directory: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The table of settings and the typed settings disagree, which only a defect of the product can cause.
    #[error("the setting `{key}` is not declared as it is used")]
    Inconsistent {
        /// The setting.
        key: String,
    },
}

impl ConfigError {
    /// A stable name for this kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "config.unreadable",
            Self::Syntax { .. } => "config.syntax",
            Self::Invalid { .. } => "config.invalid",
            Self::UnknownKey { .. } => "config.unknown_key",
            Self::NotSettable { .. } => "config.not_settable",
            Self::Clash { .. } => "config.clash",
            Self::SharedAddress { .. } => "config.shared_address",
            Self::Unwritable { .. } => "config.unwritable",
            Self::NoHome => "config.no_home",
            Self::RelativePath { .. } => "config.relative_path",
            Self::Uncreatable { .. } => "config.uncreatable",
            Self::Inconsistent { .. } => "config.inconsistent",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unreadable { file, .. } => format!(
                "make `{}` a readable text file of at most 1 MiB, or remove it",
                file.display()
            ),
            Self::Syntax { place, .. } => format!("correct {place}"),
            Self::Invalid { key, place, .. } => correction(key, place),
            Self::UnknownKey {
                nearest: Some(nearest),
                ..
            } => format!("did you mean `{nearest}`?"),
            Self::UnknownKey { nearest: None, .. } => {
                "`orchestra config list` shows every setting".to_owned()
            }
            Self::NotSettable { key, .. } => format!("set `{key}` in your user file instead"),
            Self::Clash { second, .. } => format!(
                "give {second} another name; `orchestra config path` shows the settings files"
            ),
            Self::SharedAddress { .. } => {
                "put {location} into it, or something else that no two sessions share, such as {id}"
                    .to_owned()
            }
            Self::Unwritable { file, .. } => format!(
                "check the permissions of `{}` and the free space",
                file.display()
            ),
            Self::NoHome => format!(
                "set {} or {} to an absolute path",
                variables::HOME,
                variables::ORCHESTRA_HOME
            ),
            Self::RelativePath { variable, .. } => {
                format!("give {variable} a path from the root directory on")
            }
            Self::Uncreatable { .. } => format!(
                "check its permissions, or set {} to a directory you own",
                variables::ORCHESTRA_HOME
            ),
            Self::Inconsistent { .. } => return None,
        })
    }
}

fn correction(key: &str, place: &Place) -> String {
    match place {
        Place::File { path, line } => {
            format!("change or remove line {line} of `{}`", path.display())
        }
        Place::Variable(name) => format!("change or unset {name}"),
        Place::CommandLine => format!("`orchestra config get {key}` shows the value in force"),
    }
}
