//! The slash commands that are always there.

/// A slash command of the product: each is another way to say a command of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltIn {
    /// Worktrees of the repository.
    Worktree,
    /// The mode of the session's agent.
    AgentMode,
    /// The toolboxes of the session.
    Toolbox,
    /// The MCP servers of the session.
    Mcp,
    /// What changed in the session.
    Diff,
    /// A script in the session's worktree.
    Test,
    /// One commit of the session's commits.
    Squash,
    /// The session's work becomes part of its base.
    Land,
    /// The slash commands there are.
    Help,
}

impl BuiltIn {
    /// All of them, as `/help` lists them.
    pub const ALL: &'static [Self] = &[
        Self::Worktree,
        Self::AgentMode,
        Self::Toolbox,
        Self::Mcp,
        Self::Diff,
        Self::Test,
        Self::Squash,
        Self::Land,
        Self::Help,
    ];

    /// The one with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|command| command.name() == name)
    }

    /// What it is called, without the slash.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Worktree => "worktree",
            Self::AgentMode => "agent-mode",
            Self::Toolbox => "toolbox",
            Self::Mcp => "mcp",
            Self::Diff => "diff",
            Self::Test => "test",
            Self::Squash => "squash",
            Self::Land => "land",
            Self::Help => "help",
        }
    }

    /// What it does.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Worktree => "list, adopt or prune worktrees of the repository",
            Self::AgentMode => "set the agent's mode; alone: what the agent would be started with",
            Self::Toolbox => "set the session's toolboxes; alone: the tools that it has",
            Self::Mcp => "set the session's MCP servers; alone: those that it has",
            Self::Diff => "what changed in the session",
            Self::Test => "run a script; alone: the session's own, or `test` of the repository",
            Self::Squash => "make one commit of the session's commits",
            Self::Land => "land the session: its work becomes part of its base",
            Self::Help => "the slash commands there are, or how one is used",
        }
    }

    /// How it is written.
    #[must_use]
    pub const fn usage(self) -> &'static str {
        match self {
            Self::Worktree => "/worktree [list | adopt <path> | prune]",
            Self::AgentMode => "/agent-mode [mode]",
            Self::Toolbox => "/toolbox [<name or directory>... | none | \"\"]",
            Self::Mcp => "/mcp [<name>... | none | \"\"]",
            Self::Diff => "/diff [options of `orchestra session diff`]",
            Self::Test => "/test [script] [options of `orchestra session run`]",
            Self::Squash => "/squash <message>, or options of `orchestra session squash`",
            Self::Land => "/land [options of `orchestra session land`]",
            Self::Help => "/help [name]",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_one_is_found_by_its_name_and_says_it_in_its_usage() {
        for command in BuiltIn::ALL {
            let name = command.name();
            assert_eq!(BuiltIn::from_name(name), Some(*command));
            assert!(command.usage().starts_with(&format!("/{name}")));
            assert!(!command.description().is_empty());
        }
        assert_eq!(BuiltIn::from_name("batch"), None);
    }
}
