//! What an agent needs of the machine besides its worktree, so that it can work in a sandbox.

/// Paths are those in a home directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// Where it keeps conversations, logins and logs: directories with a slash at the end, and files.
    pub writable: &'static [&'static str],
    /// What it is configured by, which can name programs to start.
    pub settings: &'static [&'static str],
    /// The hosts of its provider.
    pub hosts: &'static [&'static str],
}

pub(crate) const AMP: Needs = Needs {
    writable: &[".local/share/amp/"],
    settings: &[".config/amp"],
    hosts: &["ampcode.com", "*.ampcode.com"],
};

/// The scripted agent has no provider.
pub(crate) const DEMO: Needs = Needs {
    writable: &[".local/share/fake-amp/"],
    settings: &[],
    hosts: &[],
};

pub(crate) const CODEX: Needs = Needs {
    writable: &[".codex/"],
    settings: &[
        ".codex/config.toml",
        ".codex/AGENTS.md",
        ".codex/hooks.json",
        ".codex/rules",
        ".codex/prompts",
        ".codex/skills",
    ],
    hosts: &["api.openai.com", "auth.openai.com", "chatgpt.com"],
};

pub(crate) const CLAUDE: Needs = Needs {
    writable: &[".claude/", ".claude.json"],
    settings: &[
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".claude/CLAUDE.md",
        ".claude/agents",
        ".claude/commands",
        ".claude/hooks",
        ".claude/plugins",
        ".claude/skills",
    ],
    hosts: &["api.anthropic.com", "console.anthropic.com", "claude.ai"],
};

/// It talks to any provider, so that nobody knows which hosts it needs.
pub(crate) const OPENCODE: Needs = Needs {
    writable: &[".local/share/opencode/", ".local/state/opencode/"],
    settings: &[".config/opencode"],
    hosts: &[],
};

/// Of an agent that is not known by name.
pub(crate) const UNKNOWN: Needs = Needs {
    writable: &[],
    settings: &[],
    hosts: &[],
};
