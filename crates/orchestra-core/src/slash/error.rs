//! Why a slash command cannot be called so.

/// A slash command was called in a way that it cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// A quote has no end.
    #[error("the quote {0} is never closed")]
    Unclosed(char),
    /// Parameters that must have a value.
    #[error("/{command} needs {}", quoted(missing))]
    Missing {
        /// The command.
        command: String,
        /// Their names.
        missing: Vec<String>,
        /// How it is written.
        usage: String,
    },
    /// A parameter that the command does not have.
    #[error("/{command} has no parameter `{name}`")]
    Unknown {
        /// The command.
        command: String,
        /// The name.
        name: String,
        /// How it is written.
        usage: String,
    },
    /// A parameter got two values.
    #[error("/{command} got `{name}` twice")]
    Twice {
        /// The command.
        command: String,
        /// The name.
        name: String,
        /// How it is written.
        usage: String,
    },
    /// There is no parameter left for a word.
    #[error("/{command} has no place for `{word}`")]
    TooMany {
        /// The command.
        command: String,
        /// The word.
        word: String,
        /// How it is written.
        usage: String,
    },
}

impl CallError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unclosed(_) => "slash.unclosed_quote",
            Self::Missing { .. } => "slash.parameter_missing",
            Self::Unknown { .. } => "slash.parameter_unknown",
            Self::Twice { .. } => "slash.parameter_twice",
            Self::TooMany { .. } => "slash.too_many",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Unclosed(quote) => format!("write {quote} once more where the value ends"),
            Self::Unknown { usage, .. } => {
                format!("usage: {usage}; a word with `=` that is only text stands in quotes")
            }
            Self::Missing { usage, .. }
            | Self::Twice { usage, .. }
            | Self::TooMany { usage, .. } => format!("usage: {usage}"),
        }
    }
}

fn quoted(names: &[String]) -> String {
    let quoted = names.iter().map(|name| format!("`{name}`"));
    quoted.collect::<Vec<_>>().join(", ")
}
