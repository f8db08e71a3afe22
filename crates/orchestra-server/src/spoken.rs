//! Texts for agents, which may be slash commands.

use std::path::Path;

use orchestra_core::slash::BuiltIn;
use orchestra_engine::{Engine, SlashMeaning};

use crate::error::ApiError;

/// What the agent is told. One of the product's own commands is refused: its operation does the same.
pub(crate) fn for_agent(
    engine: &Engine,
    text: &str,
    root: Option<&Path>,
) -> Result<String, ApiError> {
    match engine.slash_meaning(text, root)? {
        SlashMeaning::Text(text) | SlashMeaning::Written { text, .. } => Ok(text),
        SlashMeaning::BuiltIn(command, _) => Err(refusal(command)),
    }
}

fn refusal(command: BuiltIn) -> ApiError {
    let name = command.name();
    ApiError::refused(
        "slash.not_for_agent",
        format!("/{name} is a command of Amp Orchestra and not for the agent"),
        format!(
            "{} does it; a text that begins with a slash is written //{name}",
            operations(command)
        ),
    )
}

/// The operations that do what a command asks for.
const fn operations(command: BuiltIn) -> &'static str {
    match command {
        BuiltIn::Worktree => "`list_worktrees`, `adopt_worktree` or `prune_worktrees`",
        BuiltIn::AgentMode => "`set_session_field` with the field `mode`, or `get_agent_command`,",
        BuiltIn::Toolbox => "`set_session_field` with the field `toolbox`, or `list_tools`,",
        BuiltIn::Mcp => "`set_session_field` with the field `mcp`, or `list_mcp_servers`,",
        BuiltIn::Diff => "`list_changes`",
        BuiltIn::Test => "`start_script`",
        BuiltIn::Squash => "`squash_session`",
        BuiltIn::Land => "`land_sessions`",
        BuiltIn::Help => "`list_slash_commands` or `get_slash_command`",
    }
}
