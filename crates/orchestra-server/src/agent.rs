//! Agents, their environments and what they are equipped with, as wire types.

use orchestra_api::{
    Agent, AgentAbilities, AgentCommand, AgentSandbox, AgentServer, AgentTrial, AgentVariable,
    Environment, McpServer, McpToolList, RefusedFile, ServerValue, ShadowedFile, Tool, Toolbox,
};
use orchestra_config::{McpReach, Told};
use orchestra_engine::{
    AgentDetails, EnvironmentReport, Login, McpCheck, McpReport, McpTool, ShownCommand,
    ShownSandbox, ShownServer, ToolboxLook,
};

pub fn agent(agent: AgentDetails) -> Agent {
    Agent {
        is_default: agent.is_default,
        name: agent.report.name,
        protocol: agent.protocol.to_string(),
        command: agent.command,
        program: agent.report.program,
        version: agent.version,
        model: agent.model,
        login: match agent.report.login {
            Login::Key => "key",
            Login::Stored => "stored",
            Login::NotNeeded => "not_needed",
            Login::Unknown => "unknown",
            Login::Missing => "missing",
        },
        login_hint: agent.report.login_hint,
        abilities: AgentAbilities {
            resume: agent.abilities.resume,
            approvals: agent.abilities.approvals,
            cost: agent.abilities.cost,
            input: agent.abilities.input,
        },
    }
}

/// How a test turn of an agent went.
pub fn trial(name: &str, trial: orchestra_engine::AgentTrial) -> AgentTrial {
    AgentTrial {
        agent: name.to_owned(),
        passed: trial.has_passed(),
        duration_ms: i64::try_from(trial.took.as_millis()).unwrap_or(i64::MAX),
        end: trial.end,
    }
}

/// Whether an agent is logged in, in words.
pub fn login_word(login: Login) -> &'static str {
    match login {
        Login::Key => "key in the environment",
        Login::Stored => "logged in",
        Login::NotNeeded => "no login needed",
        Login::Unknown => "login unknown",
        Login::Missing => "not logged in",
    }
}

pub fn environment(environment: &EnvironmentReport) -> Environment {
    let settings = &environment.settings;
    Environment {
        name: environment.name.clone(),
        is_default: environment.is_default,
        kind: settings.kind,
        agent: settings.agent.clone(),
        url: settings.url.clone(),
        command: settings.command.clone(),
        token: settings.token.as_ref().map(ToString::to_string),
        path: settings.path.clone(),
        modes: settings.allowed_modes(),
    }
}

/// What the agent of a session would be started with.
pub fn command(shown: &ShownCommand) -> AgentCommand {
    let variables = shown.variables.iter();
    AgentCommand {
        environment: shown.environment.clone(),
        command: shown.command.clone(),
        directory: shown.directory.clone(),
        isolation: shown.isolation,
        variables: variables
            .map(|variable| AgentVariable {
                name: variable.name.clone(),
                value: variable.value.clone(),
                source: variable.source.clone(),
            })
            .collect(),
        toolboxes: shown.toolboxes.clone(),
        mcp_servers: shown.servers.iter().map(shown_server).collect(),
        sandbox: shown.sandbox.as_ref().map(shown_sandbox),
    }
}

fn shown_sandbox(sandbox: &ShownSandbox) -> AgentSandbox {
    AgentSandbox {
        layers: sandbox.layers.clone(),
        network: sandbox.network.clone(),
        writable: sandbox.writable.clone(),
        last: sandbox.last.clone(),
    }
}

fn shown_server(server: &ShownServer) -> AgentServer {
    let values = server.values.iter();
    AgentServer {
        name: server.name.clone(),
        reach: server.reach.clone(),
        values: values
            .map(|(name, value)| ServerValue {
                name: name.clone(),
                value: value.clone(),
            })
            .collect(),
        tools: server.tools.clone(),
    }
}

pub fn toolbox(look: &ToolboxLook) -> Toolbox {
    let tools = look.tools.iter();
    let shadowed = look.shadowed.iter();
    let refused = look.refused.iter();
    Toolbox {
        toolboxes: look.toolboxes.clone(),
        tools: tools
            .map(|tool| Tool {
                name: tool.name.clone(),
                description: tool.description.clone(),
                schema: tool.schema.clone(),
                file: tool.file.clone(),
            })
            .collect(),
        files: look.files,
        shadowed: shadowed
            .map(|file| ShadowedFile {
                path: file.path.clone(),
                by: file.by.clone(),
            })
            .collect(),
        refused: refused
            .map(|file| RefusedFile {
                path: file.path.clone(),
                why: file.why.clone(),
            })
            .collect(),
    }
}

/// What a tool answered.
pub fn tool_answer(output: orchestra_engine::ToolOutput) -> orchestra_api::ToolAnswer {
    orchestra_api::ToolAnswer {
        stdout: output.stdout,
        stderr: output.stderr,
        exit_code: output.exit.code(),
    }
}

pub fn mcp_server(server: &McpReport) -> McpServer {
    let (command, url) = match &server.settings.reached {
        Some(McpReach::Program { command, .. }) => (Some(command.clone()), None),
        Some(McpReach::Address { url, .. }) => (None, Some(url.clone())),
        None => (None, None),
    };
    McpServer {
        name: server.name.clone(),
        is_default: server.is_default,
        command,
        url,
        values: mcp_values(server),
        tools: server.settings.tools.clone(),
    }
}

/// Variables or headers of an MCP server, of secrets the places.
pub fn mcp_values(server: &McpReport) -> Vec<ServerValue> {
    let values = match &server.settings.reached {
        Some(McpReach::Program { env, .. }) => env.as_slice(),
        Some(McpReach::Address { headers, .. }) => headers,
        None => &[],
    };
    let shown = values.iter().map(|(name, told)| ServerValue {
        name: name.clone(),
        value: match told {
            Told::Plain(text) => text.clone(),
            Told::Secret { place, before } => format!("{before}*** ({place})"),
        },
    });
    shown.collect()
}

pub fn mcp_tools(server: &str, checked: &McpCheck) -> McpToolList {
    McpToolList {
        server: server.to_owned(),
        tools: checked.tools.iter().map(mcp_tool).collect(),
        missing: checked.missing.clone(),
    }
}

fn mcp_tool(tool: &McpTool) -> orchestra_api::McpTool {
    orchestra_api::McpTool {
        name: tool.name.clone(),
        description: tool.description.clone(),
        schema: tool.schema.clone(),
        is_allowed: tool.is_allowed,
    }
}
