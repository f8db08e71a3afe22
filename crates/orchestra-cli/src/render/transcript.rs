//! Transcript items for people: messages in full, tool calls in one line, results folded.

use orchestra_core::{
    AgentEvent, PlanStep, Role, StepState, TranscriptItem, visible, visible_line, visible_whole,
};
use serde_json::Value;

use super::{edit, screen};
use crate::printer::{BLUE, BOLD, DIM, Printer, RED, YELLOW};

const WIDTH: usize = 100;
/// More characters of one line than this are not shown on a terminal.
const LONGEST: usize = 2_000;

pub(crate) fn item(printer: &Printer, item: &TranscriptItem) {
    event(printer, &item.event);
}

/// What an agent said or did, wherever that was.
pub(crate) fn event(printer: &Printer, event: &AgentEvent) {
    let shown = match printer.is_terminal() {
        true => in_bearable_lines,
        false => visible,
    };
    if let Some(text) = text(event, shown) {
        printer.line(text);
    }
}

/// A line that would fill the screen is cut there; a pipe gets all of it.
fn in_bearable_lines(text: &str) -> String {
    let text = visible(text);
    let cut = |line: &str| match screen::cut(line, LONGEST) {
        Some(cut) => format!("{cut} (`transcript --json` has all)"),
        None => line.to_owned(),
    };
    let lines: Vec<String> = text.lines().map(cut).collect();
    lines.join("\n")
}

fn text(event: &AgentEvent, shown: fn(&str) -> String) -> Option<String> {
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
        AgentEvent::Message { role, text } => message(*role, &shown(text)),
        AgentEvent::Thinking { text } => format!("{DIM}{}{DIM:#}", shown(text)),
        AgentEvent::ToolCall { name, input, .. } => tool_call(name, input),
        AgentEvent::ToolResult {
            content,
            is_error: true,
            ..
        } => format!("  {RED}{}{RED:#}", fold(content)),
        AgentEvent::ToolResult { content, .. } => format!("  {DIM}{}{DIM:#}", fold(content)),
        AgentEvent::Plan { steps } => plan(steps),
        AgentEvent::Edit { path, old, new, .. } => {
            let lines = edit::between(old.as_deref().unwrap_or_default(), new);
            format!("  {DIM}edits {}{DIM:#}\n{lines}", visible_line(path))
        }
        AgentEvent::PermissionAsked {
            tool_use, title, ..
        } => {
            let subject = tool_use.subject_in_full().unwrap_or_default();
            let title = title.as_deref().map(visible_whole);
            let title = title.filter(|title| !subject.contains(title.as_str()));
            let title = title.map_or_else(String::new, |title| format!(" ({title})"));
            format!(
                "{YELLOW}? may it use {}: {subject}{title}{YELLOW:#}",
                visible_line(&tool_use.tool)
            )
        }
        AgentEvent::PermissionDecided {
            decision, reason, ..
        } => format!(
            "{DIM}* {}: {}{DIM:#}",
            decision.name(),
            visible_line(reason)
        ),
        AgentEvent::PermissionWithdrawn { reason, .. } => {
            format!("{DIM}* withdrawn: {}{DIM:#}", visible_line(reason))
        }
        AgentEvent::Usage { .. } => return None,
        // The question and the closing words were shown as a message already.
        AgentEvent::AwaitingInput { .. } => format!("{YELLOW}? waits for your answer{YELLOW:#}"),
        AgentEvent::Finished { .. } => return None,
        AgentEvent::Failed { message, .. } => format!("{RED}failed: {}{RED:#}", shown(message)),
        AgentEvent::Diagnostic { text } => format!("{YELLOW}{}{YELLOW:#}", shown(text)),
        AgentEvent::Unrecognized { raw } => {
            format!("{DIM}unreadable: {}{DIM:#}", cut(&visible(raw), WIDTH))
        }
    })
}

fn tool_call(name: &str, input: &Value) -> String {
    let name = visible(name);
    match edit::of_call(input) {
        Some(lines) => format!("{BLUE}> {name}{BLUE:#} {}\n{lines}", path_of(input)),
        None => format!("{BLUE}> {name}{BLUE:#} {}", arguments(input)),
    }
}

/// The file that is changed, where a tool changes one.
fn path_of(input: &Value) -> String {
    let names = ["path", "file_path", "filePath"];
    let path = names.iter().find_map(|name| input.get(name)?.as_str());
    visible_line(path.unwrap_or_default())
}

fn plan(steps: &[PlanStep]) -> String {
    let lines = steps.iter().map(|step| {
        let mark = match step.state {
            StepState::Pending => ' ',
            StepState::InProgress => '>',
            StepState::Completed => 'x',
        };
        format!("  [{mark}] {}", visible_line(&step.text))
    });
    lines.collect::<Vec<_>>().join("\n")
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

/// The files that a patch of several files changes, and how.
fn changed_files(input: &Value) -> Option<String> {
    let changes = input.get("changes")?.as_array()?;
    let files = changes.iter().map(|change| {
        let word = |name: &str| change.get(name)?.as_str();
        Some(format!("{} {}", word("kind")?, word("path")?))
    });
    Some(files.collect::<Option<Vec<_>>>()?.join(", "))
}

/// The argument that says most, on one line.
fn arguments(input: &Value) -> String {
    if let Some(files) = changed_files(input) {
        return cut(&visible_line(&files), WIDTH);
    }
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
    screen::cut(text, most).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(event: &AgentEvent) -> String {
        anstream::adapter::strip_str(&text(event, visible).unwrap()).to_string()
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
    fn a_patch_names_its_files() {
        let call = AgentEvent::ToolCall {
            id: "1".to_owned(),
            name: "apply_patch".to_owned(),
            input: serde_json::json!({"changes": [
                {"path": "a.txt", "kind": "update"},
                {"path": "b.txt", "kind": "add"},
            ]}),
        };
        assert_eq!(plain(&call), "> apply_patch update a.txt, add b.txt");
    }

    #[test]
    fn a_question_shows_the_command_and_not_its_title_alone() {
        let asked = AgentEvent::PermissionAsked {
            id: "1".to_owned(),
            tool_use: orchestra_core::ToolUse {
                tool: "execute".to_owned(),
                kind: orchestra_core::ToolKind::Execute,
                input: serde_json::json!({"command": "ls\nmake"}),
            },
            title: Some("Lists files".to_owned()),
        };
        assert_eq!(
            plain(&asked),
            "? may it use execute: ls \u{23ce} make (Lists files)"
        );
    }

    #[test]
    fn only_a_line_that_fills_the_screen_is_cut() {
        let long = format!("short\n{}", "x".repeat(3_000));
        let shown = in_bearable_lines(&long);
        assert!(shown.starts_with("short\nxxx"), "{shown}");
        assert!(shown.ends_with("\u{2026} (`transcript --json` has all)"));
        assert_eq!(in_bearable_lines("a\n\nb"), "a\n\nb");
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
