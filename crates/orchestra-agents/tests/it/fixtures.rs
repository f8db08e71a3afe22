//! Every format, old and new, from what is documented of it.

use orchestra_agents::{Agent, Decoder};
use orchestra_core::AgentProtocol;
use orchestra_process::Exit;

/// A name, the agent that prints it, and what it prints.
pub(crate) const FIXTURES: [(&str, &str, &str); 15] = [
    (
        "acp-old",
        "opencode",
        include_str!("fixtures/acp-old.jsonl"),
    ),
    ("acp", "opencode", include_str!("fixtures/acp.jsonl")),
    (
        "acp-new",
        "opencode",
        include_str!("fixtures/acp-new.jsonl"),
    ),
    (
        "acp-cut-off",
        "opencode",
        include_str!("fixtures/acp-cut-off.jsonl"),
    ),
    (
        "acp-refused",
        "opencode",
        include_str!("fixtures/acp-refused.jsonl"),
    ),
    ("amp-jan", "amp", include_str!("fixtures/amp-jan.jsonl")),
    ("amp-new", "amp", include_str!("fixtures/amp-new.jsonl")),
    (
        "claude-old",
        "claude",
        include_str!("fixtures/claude-old.jsonl"),
    ),
    ("claude", "claude", include_str!("fixtures/claude.jsonl")),
    (
        "claude-new",
        "claude",
        include_str!("fixtures/claude-new.jsonl"),
    ),
    (
        "claude-max-turns",
        "claude",
        include_str!("fixtures/claude-max-turns.jsonl"),
    ),
    (
        "claude-failed",
        "claude",
        include_str!("fixtures/claude-failed.jsonl"),
    ),
    (
        "codex-old",
        "codex",
        include_str!("fixtures/codex-old.jsonl"),
    ),
    (
        "codex-new",
        "codex",
        include_str!("fixtures/codex-new.jsonl"),
    ),
    ("command", "command", include_str!("fixtures/command.txt")),
];

/// A reader for what an agent printed.
pub(crate) fn reader(agent: &str) -> Box<dyn Decoder> {
    let any = || Agent::described(agent, AgentProtocol::Command);
    Agent::built_in(agent).unwrap_or_else(any).reader()
}

#[test]
fn every_fixture_is_read_as_before() {
    for (name, agent, text) in FIXTURES {
        let mut decoder = reader(agent);
        let lines = text.lines().flat_map(|line| decoder.line(line.as_bytes()));
        let mut events: Vec<_> = lines.collect();
        events.extend(decoder.rest());
        events.push(decoder.finish(Exit::Code(0), ""));
        let told = events.iter().map(|event| {
            let event = serde_json::to_value(event).unwrap();
            format!("{event}\n")
        });
        insta::with_settings!({ prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, told.collect::<String>());
        });
    }
}
