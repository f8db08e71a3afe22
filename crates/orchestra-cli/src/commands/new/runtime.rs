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
    /// What is done about an agent that leaves its worktree: none or guard [default: setting security.isolation]
    #[arg(long, value_name = "WORD")]
    isolation: Option<Isolation>,
}

impl RuntimeArguments {
    pub(super) fn wishes(&self) -> RuntimeWishes {
        RuntimeWishes {
            environment: self.env.clone(),
            mode: self.mode.clone(),
            budget: self.budget,
            isolation: self.isolation,
        }
    }
}
