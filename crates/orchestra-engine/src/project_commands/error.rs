//! Why a command of the settings does not run.

use super::PULL_REQUEST;

/// A command of the settings does not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// No command is set.
    #[error("no command is set for `{setting}`")]
    NotSet {
        /// The setting.
        setting: String,
    },
    /// The repository's own file names the command, and nobody allowed it.
    #[error(
        "`{setting}` comes from the repository's own settings file and is not allowed yet: {command}"
    )]
    NotAllowed {
        /// The setting.
        setting: String,
        /// What would run.
        command: String,
    },
    /// What is allowed is kept word for word, and a secret is not kept.
    #[error(
        "the command in `{setting}` contains what looks like a secret, so it cannot be allowed"
    )]
    Secret {
        /// The setting.
        setting: String,
    },
}

impl CommandError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotSet { .. } => "command.missing",
            Self::NotAllowed { .. } => "command.not_allowed",
            Self::Secret { .. } => "command.secret",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NotSet { setting } => {
                let example = match setting.as_str() {
                    PULL_REQUEST => "; docs/examples has one for pull requests with gh",
                    _ => "",
                };
                format!("set one with `orchestra config set {setting} \"<command>\"`{example}")
            }
            Self::NotAllowed { setting, .. } => format!(
                "read it, then run `orchestra commands allow {setting}` in the repository, or the same command with --yes: this very text is allowed from then on"
            ),
            Self::Secret { .. } => {
                "let it read an environment variable, and name that in security.pass_env".to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_for_pull_requests_is_told_with_their_setting_only() {
        let hint = |setting: &str| {
            let setting = setting.to_owned();
            CommandError::NotSet { setting }.hint()
        };
        assert!(hint(PULL_REQUEST).contains("docs/examples"));
        assert!(hint("scripts.test").ends_with("config set scripts.test \"<command>\"`"));
    }
}
