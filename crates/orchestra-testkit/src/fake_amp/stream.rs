//! The transcript on standard output: JSON lines, or only the last words.

use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use serde_json::Value;

use super::acp::{self, Client};
use super::build::Build;
use super::cancel::{Cancel, Halt};
use super::dialect::{Dialect, Speaker};
use super::shapes::{AssistantMessage, Block, Line, McpServer, Usage, UserMessage};
use super::terminal;
use super::threads::Used;

/// How the conversation is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Only the closing words.
    Plain,
    /// The closing words with the tokens, as one JSON object.
    Stats,
    /// JSON lines.
    Json { thinking: bool },
    /// Notifications of the Agent Client Protocol.
    Acp,
}

/// What the init line says about the run.
pub(crate) struct Setup<'a> {
    pub(crate) cwd: &'a Path,
    pub(crate) mode: &'a str,
    pub(crate) effort: Option<&'a str>,
    pub(crate) mcp_servers: &'a [McpServer],
}

/// Writes what the agent says and counts it.
pub(crate) struct Transcript {
    build: Build,
    format: Format,
    thread: String,
    started: Instant,
    messages: u32,
    tool_calls: u32,
    pending: Vec<Block>,
    last_text: String,
    usage: Option<Usage>,
    spent: u64,
    /// Tokens sent, written, read from the cache and stored there.
    used: [u64; 4],
    /// Who is told, over the Agent Client Protocol.
    client: Option<Rc<Client>>,
    speaker: RefCell<Speaker>,
}

impl Transcript {
    pub(crate) fn new(build: Build, format: Format, thread: &str) -> Self {
        Self {
            build,
            format,
            thread: thread.to_owned(),
            started: Instant::now(),
            messages: 0,
            tool_calls: 0,
            pending: Vec::new(),
            last_text: String::new(),
            usage: None,
            spent: 0,
            speaker: RefCell::new(Speaker::new(Dialect::Amp, Used::default())),
            used: [0; 4],
            client: None,
        }
    }

    pub(crate) fn over_acp(build: Build, thread: &str, client: Rc<Client>) -> Self {
        Self {
            client: Some(client),
            ..Self::new(build, Format::Acp, thread)
        }
    }

    /// Says everything as another agent would.
    pub(crate) fn speaking(self, speaker: Speaker) -> Self {
        Self {
            speaker: RefCell::new(speaker),
            ..self
        }
    }

    /// All tokens of the thread, by kind.
    pub(crate) fn used(&self) -> Used {
        self.speaker.borrow().used()
    }

    pub(crate) fn last_text(&self) -> &str {
        &self.last_text
    }

    /// All tokens of this process so far.
    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }

    /// The tokens of this turn, as the Agent Client Protocol tells them.
    pub(crate) fn used_in_turn(&self) -> Value {
        let [input, output, read, written] = self.used;
        serde_json::json!({
            "totalTokens": input + output + read + written,
            "inputTokens": input,
            "outputTokens": output,
            "cachedReadTokens": read,
            "cachedWriteTokens": written,
        })
    }

    pub(crate) fn report_usage(&mut self, usage: Usage) {
        self.usage = Some(usage);
    }

    pub(crate) fn init(&mut self, setup: &Setup<'_>) -> Result<(), Halt> {
        let since_may = self.build >= Build::May;
        let cwd = setup.cwd.to_string_lossy();
        self.line(&Line::System {
            subtype: "init",
            cwd: &cwd,
            session_id: &self.thread,
            tools: self.build.tools(),
            mcp_servers: setup.mcp_servers,
            agent_mode: since_may.then_some(setup.mode),
            reasoning_effort: setup.effort,
        })
    }

    pub(crate) fn user(&mut self, content: &[Block]) -> Result<(), Halt> {
        self.line(&Line::User {
            message: UserMessage {
                role: "user",
                content,
            },
            parent_tool_use_id: None,
            session_id: &self.thread,
        })
    }

    /// Holds words back until it is known whether a tool call belongs to them.
    pub(crate) fn say(&mut self, text: &str) -> Result<(), Halt> {
        self.flush()?;
        self.pending.push(Block::text(text));
        Ok(())
    }

    pub(crate) fn think(&mut self, text: &str) -> Result<(), Halt> {
        self.flush()?;
        if matches!(self.format, Format::Json { thinking: true } | Format::Acp) {
            self.pending.push(Block::Thinking {
                thinking: text.to_owned(),
                signature: String::new(),
            });
        }
        Ok(())
    }

    /// Prints words that no tool call followed; the turn goes on.
    pub(crate) fn flush(&mut self) -> Result<(), Halt> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.assistant(None)
    }

    /// Calls a tool and returns the id its result must carry.
    pub(crate) fn tool_call(&mut self, name: &str, input: Value) -> Result<String, Halt> {
        let id = self.next_tool_id(name);
        self.pending.push(Block::ToolUse {
            id: id.clone(),
            name: name.to_owned(),
            input,
        });
        self.assistant(Some("tool_use"))?;
        Ok(id)
    }

    fn next_tool_id(&mut self, name: &str) -> String {
        self.tool_calls += 1;
        format!("toolu_{:02}{}", self.tool_calls, name.to_uppercase())
    }

    /// Asks whether a tool may be used: its call, and the answer. `None`: only the Agent Client Protocol has a way to ask.
    pub(crate) fn ask(
        &mut self,
        tool: &str,
        kind: &str,
        input: &Value,
        cancel: &Cancel,
    ) -> Result<Option<(String, bool)>, Halt> {
        let Some(client) = self.client.clone() else {
            return Ok(None);
        };
        self.flush()?;
        let id = self.next_tool_id(tool);
        let call = acp::announced(&id, tool, kind, input);
        let mut update = call.clone();
        update["sessionUpdate"] = "tool_call".into();
        client.send(&acp::notification(&self.thread, &update))?;
        let is_allowed = client.ask(&self.thread, &call, cancel)?;
        Ok(Some((id, is_allowed)))
    }

    pub(crate) fn tool_result(
        &mut self,
        id: String,
        content: String,
        is_error: bool,
    ) -> Result<(), Halt> {
        self.user(&[Block::ToolResult {
            tool_use_id: id,
            content,
            is_error,
        }])
    }

    /// Ends the turn with the words still held back, or with plain ones.
    pub(crate) fn end_turn(&mut self) -> Result<(), Halt> {
        if self.pending.is_empty() {
            self.pending.push(Block::text("Done."));
        }
        self.assistant(Some("end_turn"))
    }

    pub(crate) fn success(&mut self) -> Result<(), Halt> {
        match self.format {
            Format::Json { .. } => self.result("success", Ok(&self.last_text)),
            Format::Plain => self.raw(format!("{}\n", self.last_text).as_bytes()),
            // The answer to the prompt tells it.
            Format::Acp => Ok(()),
            Format::Stats => {
                let usage = self.usage();
                let stats = serde_json::json!({ "result": self.last_text, "usage": usage });
                self.raw(format!("{stats}\n").as_bytes())
            }
        }
    }

    pub(crate) fn failure(&mut self, subtype: &str, text: &str) -> Result<(), Halt> {
        match self.format {
            Format::Json { .. } => self.result(subtype, Err(text)),
            Format::Acp => Ok(()),
            Format::Plain | Format::Stats => {
                terminal::complain(self.build, &format!("Error: {text}"));
                Ok(())
            }
        }
    }

    /// Writes bytes as they are, in one go.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Result<(), Halt> {
        let mut out = std::io::stdout().lock();
        let written = out.write_all(bytes).and_then(|()| out.flush());
        written.map_err(|_closed| Halt::OutputClosed)
    }

    /// One message as the bytes of its line, for output that is measured in bytes.
    pub(crate) fn message_line(&self, text: &str) -> Vec<u8> {
        let content = [Block::text(text)];
        self.encode(&self.assistant_line(&content, None))
    }

    fn assistant(&mut self, stop_reason: Option<&'static str>) -> Result<(), Halt> {
        let content = std::mem::take(&mut self.pending);
        self.messages += 1;
        for block in &content {
            if let Block::Text { text } = block {
                self.last_text.clone_from(text);
            }
        }
        let usage = self.usage();
        self.spent += usage.input_tokens + usage.output_tokens;
        let kinds = [
            usage.input_tokens,
            usage.output_tokens,
            usage.cache_read_input_tokens,
            usage.cache_creation_input_tokens,
        ];
        for (sum, tokens) in self.used.iter_mut().zip(kinds) {
            *sum += tokens;
        }
        let line = self.assistant_line(&content, stop_reason);
        self.line(&line)
    }

    fn assistant_line<'a>(
        &'a self,
        content: &'a [Block],
        stop_reason: Option<&'static str>,
    ) -> Line<'a> {
        Line::Assistant {
            message: AssistantMessage {
                kind: "message",
                role: "assistant",
                content,
                stop_reason,
                usage: self.usage(),
            },
            parent_tool_use_id: None,
            session_id: &self.thread,
        }
    }

    fn usage(&self) -> Usage {
        let mut usage = self.usage.unwrap_or(Usage {
            input_tokens: 12,
            cache_creation_input_tokens: 900,
            cache_read_input_tokens: 100,
            output_tokens: 40,
            max_tokens: None,
            service_tier: "standard",
        });
        usage.max_tokens = (self.build < Build::New).then_some(168_000);
        usage
    }

    fn result(&self, subtype: &str, outcome: Result<&str, &str>) -> Result<(), Halt> {
        let elapsed = self.started.elapsed().as_millis();
        self.line(&Line::Result {
            subtype,
            duration_ms: u64::try_from(elapsed).unwrap_or(u64::MAX),
            is_error: outcome.is_err(),
            num_turns: self.messages,
            result: outcome.ok(),
            error: outcome.err(),
            session_id: &self.thread,
        })
    }

    fn line(&self, line: &Line<'_>) -> Result<(), Halt> {
        match self.format {
            Format::Json { .. } | Format::Acp => self.raw(&self.encode(line)),
            Format::Plain | Format::Stats => Ok(()),
        }
    }

    fn encode(&self, line: &Line<'_>) -> Vec<u8> {
        if self.format == Format::Acp {
            let told = acp::notifications(&self.thread, line);
            let lines = told.iter().map(|message| format!("{message}\n"));
            return lines.collect::<String>().into_bytes();
        }
        self.speaker.borrow_mut().encode(line)
    }
}
