//! Transcript items for people: messages in full, tool calls in one line, results folded.

use orchestra_core::{AgentEvent, Role, TranscriptItem, visible, visible_line};
use serde_json::Value;

use crate::printer::{BLUE, BOLD, DIM, Printer, RED, YELLOW};

const WIDTH: usize = 100;

pub(crate) fn item(printer: &Printer, item: &TranscriptItem) {
    if let Some(text) = text(&item.event) {
        printer.line(text);
    }
}

fn text(event: &AgentEvent) -> Option<String> {
    Some(match event {
        AgentEvent::Started {
            thread,
            model,
            mode,
            ..
        } => {
            let parts: Vec<&str> = [thread, model, mode]
                .into_iter()
                .flatten()
                .map(String::as_str)
                .collect();
            format!("{DIM}started {}{DIM:#}", visible(&parts.join(", ")))
        }
        AgentEvent::Message { role, text } => message(*role, &visible(text)),
        AgentEvent::Thinking { text } => format!("{DIM}{}{DIM:#}", visible(text)),
        AgentEvent::ToolCall { name, input, .. } => {
            format!("{BLUE}> {}{BLUE:#} {}", visible(name), arguments(input))
        }
        AgentEvent::ToolResult {
            content,
            is_error: true,
            ..
        } => format!("  {RED}{}{RED:#}", fold(content)),
        AgentEvent::ToolResult { content, .. } => format!("  {DIM}{}{DIM:#}", fold(content)),
        AgentEvent::Usage { .. } => return None,
        // The question and the closing words were shown as a message already.
        AgentEvent::AwaitingInput { .. } => format!("{YELLOW}? waits for your answer{YELLOW:#}"),
        AgentEvent::Finished { .. } => return None,
        AgentEvent::Failed { message, .. } => format!("{RED}failed: {}{RED:#}", visible(message)),
        AgentEvent::Diagnostic { text } => format!("{YELLOW}{}{YELLOW:#}", visible(text)),
        AgentEvent::Unrecognized { raw } => {
            format!("{DIM}unreadable: {}{DIM:#}", cut(&visible(raw), WIDTH))
        }
    })
}

fn message(role: Role, text: &str) -> String {
    match role {
        Role::User => text
            .lines()
            .map(|line| format!("{DIM}| {line}{DIM:#}"))
            .collect::<Vec<_>>()
            .join("\n"),
        Role::Agent => format!("{BOLD}{text}{BOLD:#}"),
        Role::Subagent => format!("  {text}"),
        Role::Engine => format!("{DIM}* {text}{DIM:#}"),
    }
}

/// The argument that says most, on one line.
fn arguments(input: &Value) -> String {
    const TELLING: &[&str] = &[
        "path", "cmd", "command", "pattern", "query", "prompt", "url",
    ];
    let found = TELLING
        .iter()
        .find_map(|name| input.get(name))
        .and_then(Value::as_str);
    let text = found.map_or_else(
        || {
            if input.is_null() {
                String::new()
            } else {
                input.to_string()
            }
        },
        str::to_owned,
    );
    cut(&visible_line(&text), WIDTH)
}

fn fold(content: &str) -> String {
    let clean = visible(content);
    let mut lines = clean.lines().filter(|line| !line.trim().is_empty());
    let first = cut(lines.next().unwrap_or("(nothing)"), WIDTH);
    match lines.count() {
        0 => first,
        more => format!("{first} (+{more} lines)"),
    }
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most - 1).collect();
    format!("{kept}\u{2026}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(event: &AgentEvent) -> String {
        anstream::adapter::strip_str(&text(event).unwrap()).to_string()
    }

    #[test]
    fn tools_take_one_line() {
        let input = serde_json::json!({"path": "src/main.rs", "old_str": "a\nb"});
        let call = AgentEvent::ToolCall {
            id: "1".to_owned(),
            name: "edit_file".to_owned(),
            input,
        };
        assert_eq!(plain(&call), "> edit_file src/main.rs");
        let result = AgentEvent::ToolResult {
            id: "1".to_owned(),
            content: "one\n\ntwo\nthree".to_owned(),
            is_error: false,
        };
        assert_eq!(plain(&result), "  one (+2 lines)");
    }

    #[test]
    fn an_agent_cannot_move_the_cursor() {
        let event = AgentEvent::Message {
            role: Role::Agent,
            text: "a\u{1b}[2Jb\rc".to_owned(),
        };
        assert_eq!(plain(&event), "a\u{fffd}[2Jb\u{fffd}c");
    }
}
