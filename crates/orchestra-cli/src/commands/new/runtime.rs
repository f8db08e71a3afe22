//! How the agent of a new session is run.

use clap::Args;
use orchestra_core::{Budget, Isolation, RuntimeWishes};

#[derive(Debug, Clone, Args)]
pub(crate) struct RuntimeArguments {
    /// The environment in which the agent finds its server: `orchestra env list` [default: setting environments.default]
    #[arg(long, value_name = "NAME")]
    env: Option<String>,
    /// The agent's mode, where it has some
    #[arg(long)]
    mode: Option<String>,
    /// What all its iterations together may use, such as 2.50 (dollars) or 500000tokens [default: setting limits.budget]
    #[arg(long, value_name = "AMOUNT")]
    budget: Option<Budget>,
    /// What is done about an agent that leaves its worktree: none, guard or sandbox [default: setting security.isolation]
    #[arg(long, value_name = "WORD")]
    isolation: Option<Isolation>,
    /// A toolbox, by its name in the settings or as a directory; `none` for none [default: setting runtime.toolboxes]
    #[arg(long = "toolbox", value_name = "NAME", value_parser = toolbox_wish)]
    toolboxes: Vec<String>,
    /// An MCP server, by its name in the settings; `none` for none [default: setting runtime.mcp]
    #[arg(long = "mcp", value_name = "NAME")]
    mcp: Vec<String>,
}

/// A toolbox as a session remembers it: a directory by its whole path.
pub(crate) fn toolbox_wish(text: &str) -> Result<String, String> {
    let directory = std::env::current_dir().map_err(|error| error.to_string())?;
    orchestra_server::session_field::toolbox_wish(text, &directory)
        .map_err(|error| error.to_string())
}

impl RuntimeArguments {
    pub(crate) fn wishes(&self) -> RuntimeWishes {
        RuntimeWishes {
            environment: self.env.clone(),
            mode: self.mode.clone(),
            budget: self.budget,
            isolation: self.isolation,
            toolboxes: self.toolboxes.clone(),
            mcp: self.mcp.clone(),
        }
    }
}
