//! Why a template cannot be used or kept.

use std::path::PathBuf;

use orchestra_core::{FillError, InvalidTemplateName, TemplateName};

use crate::ErrorClass;

/// A template cannot be used or kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// No template is called so.
    #[error("there is no template `{name}`")]
    NotFound {
        /// The name.
        name: TemplateName,
        /// Those there are.
        known: Vec<String>,
    },
    /// The user has a template with this name.
    #[error("there is a template `{0}` already")]
    Exists(TemplateName),
    /// The template is part of a repository, where only its owner changes it.
    #[error("the template `{name}` is part of the repository")]
    OfRepository {
        /// The name.
        name: TemplateName,
        /// Its file.
        file: PathBuf,
    },
    /// A file says what no template can say.
    #[error("{}{} is not a template: {problem}", file.display(), place(*line))]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Where in it.
        line: Option<usize>,
        /// What is wrong.
        problem: String,
    },
    /// A template that says nothing.
    #[error("the template would be empty")]
    Empty,
    /// A name that no template can have.
    #[error(transparent)]
    Name(#[from] InvalidTemplateName),
    /// The variables of the prompt cannot be filled in.
    #[error(transparent)]
    Fill(#[from] FillError),
}

impl TemplateError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "template.not_found",
            Self::Exists(_) => "template.exists",
            Self::OfRepository { .. } => "template.of_repository",
            Self::Unreadable { .. } => "template.unreadable",
            Self::Empty => "template.empty",
            Self::Name(_) => "template.invalid_name",
            Self::Fill(error) => error.code(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NotFound { known, .. } if known.is_empty() => {
                "there are none yet: orchestra template save <name> --prompt \"...\"".to_owned()
            }
            Self::NotFound { known, .. } => format!("there are {}", known.join(", ")),
            Self::Exists(name) => format!(
                "choose another name, replace it with --replace, or change it with `orchestra template edit {name}`"
            ),
            Self::OfRepository { file, .. } => {
                format!("change {} in the repository, and commit it", file.display())
            }
            Self::Unreadable { .. } => {
                "docs/environments.md shows what a template can say".to_owned()
            }
            Self::Empty => "give it at least a prompt: --prompt \"...\", or a session to take it from: --from <session>".to_owned(),
            Self::Name(_) => "choose a name such as fix-component".to_owned(),
            Self::Fill(error) => error.hint(),
        }
    }

    pub(crate) const fn class(&self) -> ErrorClass {
        match self {
            Self::Exists(_) | Self::OfRepository { .. } => ErrorClass::Refused,
            Self::NotFound { .. }
            | Self::Unreadable { .. }
            | Self::Empty
            | Self::Name(_)
            | Self::Fill(_) => ErrorClass::Usage,
        }
    }
}

fn place(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!(", line {line},"))
}
