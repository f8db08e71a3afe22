//! The forms in which agents are told of MCP servers.

use std::ffi::OsString;

use serde_json::{Map, Value, json};

use super::{McpReach, McpServer, McpValue};

/// A map from names to servers: all of the file that Amp reads, and part of what Claude Code does.
pub(crate) fn server_map(servers: &[McpServer], typed: bool) -> Value {
    let entries = servers.iter().map(|server| {
        let mut entry = match &server.reach {
            McpReach::Program { command, env } => {
                let (program, arguments) = split(command);
                json!({ "command": program, "args": arguments, "env": object(env) })
            }
            McpReach::Address { url, headers } => {
                json!({ "url": url, "headers": object(headers) })
            }
        };
        if typed && matches!(server.reach, McpReach::Address { .. }) {
            entry["type"] = "http".into();
        }
        (server.name.clone(), entry)
    });
    Value::Object(entries.collect())
}

/// The file that Claude Code reads.
pub(crate) fn claude_file(servers: &[McpServer]) -> Value {
    json!({ "mcpServers": server_map(servers, true) })
}

/// What `session/new` of the Agent Client Protocol takes; every agent takes programs.
pub(crate) fn acp_servers(servers: &[McpServer]) -> Value {
    let entries = servers.iter().filter_map(|server| match &server.reach {
        McpReach::Program { command, env } => {
            let (program, arguments) = split(command);
            let env: Vec<Value> = env
                .iter()
                .map(|(name, value)| json!({ "name": name, "value": value.text() }))
                .collect();
            let name = &server.name;
            Some(json!({ "name": name, "command": program, "args": arguments, "env": env }))
        }
        McpReach::Address { .. } => None,
    });
    entries.collect()
}

/// What Codex takes as arguments, which everybody on the machine can read.
pub(crate) fn codex_arguments(servers: &[McpServer]) -> Vec<OsString> {
    let mut arguments = Vec::new();
    let mut set = |server: &McpServer, field: &str, value: String| {
        // Its names have no colon.
        let name = server.name.replace(':', "_");
        arguments.push("-c".into());
        arguments.push(format!("mcp_servers.{name}.{field}={value}").into());
    };
    for server in servers {
        match &server.reach {
            McpReach::Program { command, env } => {
                let (program, rest) = split(command);
                set(server, "command", quoted(program));
                let rest: Vec<String> = rest.iter().map(|word| quoted(word)).collect();
                set(server, "args", format!("[{}]", rest.join(", ")));
                if !env.is_empty() {
                    set(server, "env", table(env));
                }
            }
            McpReach::Address { url, headers } => {
                set(server, "url", quoted(url));
                if !headers.is_empty() {
                    set(server, "http_headers", table(headers));
                }
            }
        }
    }
    arguments
}

fn split(command: &[String]) -> (&str, &[String]) {
    let program = command.first().map_or("", String::as_str);
    (program, command.get(1..).unwrap_or_default())
}

fn object(values: &[(String, McpValue)]) -> Map<String, Value> {
    let pairs = values.iter();
    pairs
        .map(|(name, value)| (name.clone(), value.text().into()))
        .collect()
}

fn table(values: &[(String, McpValue)]) -> String {
    let pairs: Vec<String> = values
        .iter()
        .map(|(name, value)| format!("{} = {}", quoted(name), quoted(value.text())))
        .collect();
    format!("{{ {} }}", pairs.join(", "))
}

/// A text as JSON writes it is one that TOML reads, but for the character that JSON leaves as it is.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::Secret;

    fn servers() -> [McpServer; 2] {
        let plain = |text: &str| McpValue::Plain(text.to_owned());
        [
            McpServer {
                name: "issues".to_owned(),
                reach: McpReach::Program {
                    command: vec!["npx".into(), "issue \"server\"".into()],
                    env: vec![("LOG".to_owned(), plain("debug"))],
                },
                tools: None,
            },
            McpServer {
                name: "team:search".to_owned(),
                reach: McpReach::Address {
                    url: "https://search.example/mcp".to_owned(),
                    headers: vec![(
                        "Authorization".to_owned(),
                        McpValue::Secret(Secret("Bearer t0ken".to_owned())),
                    )],
                },
                tools: None,
            },
        ]
    }

    #[test]
    fn files_have_a_map() {
        let map = server_map(&servers(), false);
        let issues =
            json!({ "command": "npx", "args": ["issue \"server\""], "env": { "LOG": "debug" } });
        assert_eq!(map["issues"], issues);
        assert_eq!(
            map["team:search"]["headers"]["Authorization"],
            "Bearer t0ken"
        );
        assert_eq!(
            claude_file(&servers())["mcpServers"]["team:search"]["type"],
            "http"
        );
    }

    #[test]
    fn codex_takes_toml() {
        let words = codex_arguments(&servers()[..1]);
        let words: Vec<_> = words.iter().map(|it| it.to_str().unwrap()).collect();
        assert_eq!(
            words,
            [
                "-c",
                r#"mcp_servers.issues.command="npx""#,
                "-c",
                r#"mcp_servers.issues.args=["issue \"server\""]"#,
                "-c",
                r#"mcp_servers.issues.env={ "LOG" = "debug" }"#,
            ]
        );
        let plain = quoted("a\n\u{7f}\u{1}é\\");
        assert_eq!(plain, r#""a\n\u007f\u0001é\\""#);
    }

    #[test]
    fn the_protocol_takes_programs() {
        let servers = acp_servers(&servers());
        assert_eq!(servers.as_array().unwrap().len(), 1);
        assert_eq!(
            servers[0]["env"][0],
            json!({ "name": "LOG", "value": "debug" })
        );
    }

    #[test]
    fn a_secret_is_not_shown() {
        let shown = format!("{:?}", servers());
        assert!(!shown.contains("t0ken") && shown.contains("***"), "{shown}");
    }
}
