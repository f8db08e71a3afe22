//! Claude Code: its command line. What it prints is the stream that Amp prints too.

use orchestra_core::{CostSource, PermissionPolicy};
use orchestra_process::{CommandSpec, Stdin};

use crate::adapter::{Adapter, Decoder};
use crate::agent::{Abilities, Features, Login, Surroundings, Turn, TurnRequest};
use crate::mcp::{McpServer, claude_file};
use crate::stream_json::StreamDecoder;

const KEYS: [&str; 3] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
];

/// Anthropic's Claude Code.
pub(crate) struct Claude;

impl Adapter for Claude {
    fn turn(&self, request: &TurnRequest<'_>) -> Turn {
        Turn {
            command: command(request),
            decoder: self.reader(),
        }
    }

    fn reader(&self) -> Box<dyn Decoder> {
        Box::new(StreamDecoder::default())
    }

    fn mcp_file(&self, servers: &[McpServer]) -> Option<String> {
        Some(claude_file(servers).to_string())
    }

    fn takes_server(&self, _server: &McpServer) -> bool {
        true
    }

    fn abilities(&self, _features: &Features) -> Abilities {
        Abilities {
            resume: true,
            approvals: false,
            cost: Some(CostSource::Reported),
            input: false,
        }
    }

    /// On macOS the login is in the keychain, and a helper in the settings may give a key: only the agent knows.
    fn login(&self, surroundings: &Surroundings<'_>) -> Login {
        if KEYS.iter().any(|key| surroundings.value(key).is_some()) {
            return Login::Key;
        }
        let folder = surroundings.folder("CLAUDE_CONFIG_DIR", ".claude");
        let has = |name: &str| {
            let file = folder.as_ref().map(|folder| folder.join(name));
            file.is_some_and(|file| (surroundings.exists)(&file))
        };
        if has(".credentials.json") {
            return Login::Stored;
        }
        match has("settings.json") || cfg!(target_os = "macos") {
            true => Login::Unknown,
            false => Login::Missing,
        }
    }

    fn login_hint(&self) -> &'static str {
        "run `claude` in a terminal and log in, or set ANTHROPIC_API_KEY"
    }
}

/// One process per turn with the prompt on standard input, where none can be taken for an option.
fn command(request: &TurnRequest<'_>) -> CommandSpec {
    let mut spec = request.command().args(request.leading_arguments()).args([
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
    ]);
    if request.permissions == PermissionPolicy::Allow {
        spec = spec.arg("--dangerously-skip-permissions");
    }
    if let Some(file) = request.equipment.mcp_file {
        spec = spec.arg("--mcp-config").arg(file);
    }
    if let Some(model) = request.model {
        spec = spec.arg("--model").arg(model);
    }
    if let Some(thread) = request.thread {
        spec = spec.arg("--resume").arg(thread);
    }
    spec.env("DISABLE_AUTOUPDATER", "1")
        .stdin(Stdin::Bytes(request.prompt.as_bytes().to_vec()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ffi::OsString;
    use std::path::Path;

    use orchestra_core::{AgentEvent, Cost, FailureCause, Usage};
    use orchestra_process::Exit;

    use super::*;

    const TURN: [&str; 5] = [
        r#"{"type":"system","subtype":"init","cwd":"/w","session_id":"5f0c","tools":["Bash"],"mcp_servers":[],"model":"claude-x","permissionMode":"default","apiKeySource":"none","uuid":"u"}"#,
        r#"{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[{"type":"text","text":"Looking."}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":5,"output_tokens":1,"service_tier":"standard"}},"parent_tool_use_id":null,"session_id":"5f0c"}"#,
        r#"{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"stop_reason":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":5,"output_tokens":1}},"parent_tool_use_id":null,"session_id":"5f0c"}"#,
        r#"{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":[{"type":"text","text":"a"}]}]},"parent_tool_use_id":null,"session_id":"5f0c"}"#,
        r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":9,"duration_api_ms":8,"num_turns":2,"result":"Done.","session_id":"5f0c","total_cost_usd":0.0123456,"usage":{"input_tokens":7,"cache_creation_input_tokens":10,"cache_read_input_tokens":25,"output_tokens":40},"modelUsage":{},"permission_denials":[{"tool_name":"Write","tool_use_id":"t2","tool_input":{"file_path":"/x"}}],"uuid":"u"}"#,
    ];

    fn request<'a>(
        permissions: PermissionPolicy,
        environment: &'a BTreeMap<OsString, OsString>,
        program: &'a [OsString],
        features: &'a Features,
    ) -> TurnRequest<'a> {
        TurnRequest {
            program,
            features,
            worktree: Path::new("/w"),
            prompt: "--help",
            thread: Some("5f0c"),
            model: Some("sonnet"),
            mode: None,
            environment,
            log_file: Path::new("/l"),
            permissions,
            settings_file: None,
            spent: None,
            equipment: crate::Equipment::default(),
        }
    }

    #[test]
    fn the_command_follows_the_policy() {
        let (environment, features) = (BTreeMap::new(), Features::default());
        let program = ["/bin/claude".into()];
        let arguments = |policy| {
            let turn = Claude.turn(&request(policy, &environment, &program, &features));
            assert_eq!(turn.command.stdin, Stdin::Bytes(b"--help".to_vec()));
            turn.command.args.join(" ".as_ref()).into_string().unwrap()
        };
        let start = "-p --output-format stream-json --verbose";
        let end = "--model sonnet --resume 5f0c";
        assert_eq!(
            arguments(PermissionPolicy::Allow),
            format!("{start} --dangerously-skip-permissions {end}")
        );
        assert_eq!(arguments(PermissionPolicy::Ask), format!("{start} {end}"));
    }

    #[test]
    fn tokens_are_counted_once_and_the_cost_is_the_agents() {
        let mut decoder = Claude.reader();
        let events: Vec<AgentEvent> = TURN
            .iter()
            .flat_map(|line| decoder.line(line.as_bytes()))
            .collect();
        let mut sum = Usage::default();
        let mut costs = Vec::new();
        for event in &events {
            if let AgentEvent::Usage { usage, cost } = event {
                sum = sum.plus(*usage);
                costs.extend(*cost);
            }
        }
        assert_eq!((sum.input_tokens, sum.output_tokens), (7, 40));
        assert_eq!((sum.cache_read_tokens, sum.cache_write_tokens), (25, 10));
        let source = CostSource::Reported;
        let micro_usd = 12_346;
        assert_eq!(costs, [Cost { micro_usd, source }]);
        let model = |event: &&AgentEvent| matches!(event, AgentEvent::Started { model: Some(model), .. } if model == "claude-x");
        assert_eq!(events.iter().filter(model).count(), 1);
        let denied = |event: &&AgentEvent| matches!(event, AgentEvent::Diagnostic { text } if text.starts_with("not allowed: Write"));
        assert_eq!(events.iter().filter(denied).count(), 1);
        let end = decoder.finish(Exit::Code(0), "");
        let summary = Some("Done.".to_owned());
        assert_eq!(end, AgentEvent::Finished { summary });
    }

    #[test]
    fn failures_are_told_apart() {
        let cause = |line: &str| {
            let mut decoder = Claude.reader();
            assert!(decoder.line(line.as_bytes()).is_empty());
            match decoder.finish(Exit::Code(1), "") {
                AgentEvent::Failed { cause, .. } => cause,
                other => panic!("{other:?}"),
            }
        };
        let cases = [
            (
                r#"{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key · Please run /login"}"#,
                FailureCause::NotLoggedIn,
            ),
            (
                r#"{"type":"result","subtype":"success","is_error":true,"result":"API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}"}"#,
                FailureCause::Overloaded,
            ),
            (
                r#"{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: 5f0c"]}"#,
                FailureCause::ThreadUnavailable,
            ),
            (
                r#"{"type":"result","subtype":"error_max_turns","is_error":false}"#,
                FailureCause::Other,
            ),
            (
                r#"{"type":"result","subtype":"success","is_error":true,"result":"Credit balance is too low"}"#,
                FailureCause::OutOfCredit,
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(cause(line), expected, "{line}");
        }
    }

    #[test]
    fn a_bare_text_is_a_message_and_other_notes_are_kept() {
        let mut decoder = Claude.reader();
        let line = br#"{"type":"user","message":{"role":"user","content":"hi"}}"#;
        let events = decoder.line(line);
        assert!(matches!(&events[..], [AgentEvent::Message { text, .. }] if text == "hi"));
        for line in [
            r#"{"type":"system","subtype":"compact_boundary"}"#,
            r#"{"type":"stream_event","event":{}}"#,
            r#"{"type":"assistant"}"#,
            r#"{"type":"assistant","message":{"content":[]}}"#,
        ] {
            let raw = line.to_owned();
            assert_eq!(
                decoder.line(line.as_bytes()),
                [AgentEvent::Unrecognized { raw }]
            );
        }
    }

    #[test]
    fn login_is_judged_without_reading_a_secret() {
        let login = |pairs: &[(&str, &str)], there: &'static str| {
            let pairs = pairs.iter();
            let environment: BTreeMap<_, _> = pairs
                .map(|(name, value)| (name.into(), value.into()))
                .collect();
            Claude.login(&Surroundings {
                environment: &environment,
                exists: &|path| path == Path::new(there),
            })
        };
        assert_eq!(login(&[("CLAUDE_CODE_OAUTH_TOKEN", "x")], ""), Login::Key);
        let home = [("HOME", "/h")];
        assert_eq!(login(&home, "/h/.claude/.credentials.json"), Login::Stored);
        assert_eq!(login(&home, "/h/.claude/settings.json"), Login::Unknown);
        let own = [("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "/c")];
        assert_eq!(login(&own, "/c/.credentials.json"), Login::Stored);
        if !cfg!(target_os = "macos") {
            assert_eq!(login(&own, "/h/.claude/.credentials.json"), Login::Missing);
        }
    }
}
