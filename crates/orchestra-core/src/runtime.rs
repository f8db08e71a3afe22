//! How a session's agent is run: where it finds its server, in which mode, and how much it may use.

mod budget;
mod isolation;
mod secret_source;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use budget::{Budget, InvalidBudget, dollars};
pub use isolation::{
    EscapeEnd, EscapeRecord, GuardFinding, GuardPlace, Isolation, IsolationRecord, SandboxRecord,
    UnknownIsolation, escape_counts,
};
pub use secret_source::{InvalidSecretSource, SecretSource};

/// Modes that are offered where nothing says which there are. An agent may know others: any word is passed on.
pub const OFFERED_MODES: [&str; 5] = ["default", "geppetto", "claudetto", "gronk-fast", "bolt"];

/// The mode that an agent has when none is named.
pub const DEFAULT_MODE: &str = "default";

/// Stands for no toolbox or MCP server at all, whatever the settings name.
pub const NO_EQUIPMENT: &str = "none";

/// What a session wants of its runs; what it does not say, the settings do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(default)]
pub struct RuntimeWishes {
    /// The environment, by its name in the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The agent's mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// What all its iterations together may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// What is done about an agent that leaves its worktree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
    /// Toolboxes, by their names in the settings or as absolute directories; empty: those that the settings name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub toolboxes: Vec<String>,
    /// MCP servers, by their names in the settings; empty: those that the settings name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mcp: Vec<String>,
}

/// One wish, to be made or taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuntimeField {
    /// The environment.
    Environment(Option<String>),
    /// The agent's mode.
    Mode(Option<String>),
    /// What all iterations together may use.
    Budget(Option<Budget>),
    /// What is done about an agent that leaves its worktree.
    Isolation(Option<Isolation>),
    /// Toolboxes.
    Toolboxes(Vec<String>),
    /// MCP servers.
    Mcp(Vec<String>),
}

impl RuntimeField {
    /// The field's name, as `set` takes it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Environment(_) => "env",
            Self::Mode(_) => "mode",
            Self::Budget(_) => "budget",
            Self::Isolation(_) => "isolation",
            Self::Toolboxes(_) => "toolbox",
            Self::Mcp(_) => "mcp",
        }
    }
}

impl RuntimeWishes {
    /// The wishes, and others where there are none.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        let first = |one: Vec<String>, other| if one.is_empty() { other } else { one };
        Self {
            environment: self.environment.or(others.environment),
            mode: self.mode.or(others.mode),
            budget: self.budget.or(others.budget),
            isolation: self.isolation.or(others.isolation),
            toolboxes: first(self.toolboxes, others.toolboxes),
            mcp: first(self.mcp, others.mcp),
        }
    }

    /// The wishes with one of them changed.
    #[must_use]
    pub fn with(mut self, field: RuntimeField) -> Self {
        match field {
            RuntimeField::Environment(name) => self.environment = name,
            RuntimeField::Mode(mode) => self.mode = mode,
            RuntimeField::Budget(budget) => self.budget = budget,
            RuntimeField::Isolation(isolation) => self.isolation = isolation,
            RuntimeField::Toolboxes(toolboxes) => self.toolboxes = toolboxes,
            RuntimeField::Mcp(servers) => self.mcp = servers,
        }
        self
    }
}

/// What kind of place an environment is, which says what is allowed where its settings do not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnvironmentKind {
    /// The agent's real server.
    #[default]
    Production,
    /// A server of the user's own, where everything may be tried.
    Development,
    /// A machine where nobody watches.
    Ci,
}

impl EnvironmentKind {
    /// The words, in the order of the variants.
    pub const WORDS: &'static [&'static str] = &["production", "development", "ci"];

    /// The kind that a word stands for.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "production" => Some(Self::Production),
            "development" => Some(Self::Development),
            "ci" => Some(Self::Ci),
            _ => None,
        }
    }

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Production => "production",
            Self::Development => "development",
            Self::Ci => "ci",
        }
    }

    /// The modes that are allowed where the settings name none; `None`: any.
    #[must_use]
    pub const fn modes(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Production | Self::Development => None,
            Self::Ci => Some(&[DEFAULT_MODE]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_that_were_not_made_take_no_room() {
        let none = RuntimeWishes::default();
        assert_eq!(serde_json::to_string(&none).unwrap(), "{}");
        let some = RuntimeWishes {
            mode: Some("bolt".into()),
            budget: Some("$2".parse().unwrap()),
            mcp: vec!["issues".into()],
            ..RuntimeWishes::default()
        };
        let text = serde_json::to_string(&some).unwrap();
        assert_eq!(text, r#"{"mode":"bolt","budget":"$2.00","mcp":["issues"]}"#);
        assert_eq!(serde_json::from_str::<RuntimeWishes>(&text).unwrap(), some);
    }

    #[test]
    fn every_kind_has_its_word() {
        for word in EnvironmentKind::WORDS {
            let kind = EnvironmentKind::from_word(word).unwrap();
            assert_eq!(kind.as_str(), *word);
        }
        assert_eq!(EnvironmentKind::from_word("staging"), None);
        assert!(EnvironmentKind::Production.modes().is_none());
        assert_eq!(EnvironmentKind::Ci.modes(), Some(&["default"][..]));
    }
}
