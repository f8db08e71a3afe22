//! Tool calls: announced, changed and answered piece by piece; told once, with their result.

use std::collections::VecDeque;

use orchestra_core::{AgentEvent, ToldEdit, ToolKind, ToolUse};
use serde_json::Value;

use super::wire::{ToolCallFields, ToolContent, ToolStatus, block_text};

/// As many calls are remembered; more at once is nothing an agent does.
const MOST_CALLS: usize = 128;

/// The calls of a turn that something may still be said about.
#[derive(Debug, Default)]
pub(super) struct ToolCalls(VecDeque<Call>);

#[derive(Debug, Default)]
struct Call {
    id: String,
    title: Option<String>,
    name: Option<String>,
    kind: Option<ToolKind>,
    path: Option<String>,
    input: Value,
    text: Option<String>,
    edits: Vec<AgentEvent>,
    output: Value,
    is_told: bool,
    /// Whether the arguments that were told say what is changed.
    is_edit_told: bool,
    is_over: bool,
}

impl ToolCalls {
    /// Takes in what is told of a call.
    pub(super) fn learn(&mut self, fields: ToolCallFields) -> Vec<AgentEvent> {
        let mut events = Vec::new();
        let call = match self
            .0
            .iter()
            .position(|call| call.id == fields.tool_call_id)
        {
            Some(index) => &mut self.0[index],
            None => self.begin(&fields.tool_call_id, &mut events),
        };
        if call.is_over {
            return events;
        }
        let status = fields.status;
        call.merge(fields);
        call.tell(status, &mut events);
        events
    }

    /// What the agent wants to do, as far as it told.
    pub(super) fn tool_use(&self, id: &str) -> (ToolUse, Option<String>) {
        let call = self.0.iter().find(|call| call.id == id);
        call.map_or_else(
            || (Call::default().tool_use(), None),
            |call| (call.tool_use(), call.title.clone()),
        )
    }

    /// Calls that were announced and never begun.
    pub(super) fn untold(&mut self) -> Vec<AgentEvent> {
        let calls = self.0.iter_mut().filter(|call| !call.is_told);
        calls.map(Call::told).collect()
    }

    fn begin(&mut self, id: &str, events: &mut Vec<AgentEvent>) -> &mut Call {
        if self.0.len() >= MOST_CALLS {
            let oldest = self.0.pop_front();
            events.extend(
                oldest
                    .filter(|call| !call.is_told)
                    .map(|mut call| call.told()),
            );
        }
        self.0.push_back(Call {
            id: id.to_owned(),
            ..Call::default()
        });
        let last = self.0.len() - 1;
        &mut self.0[last]
    }
}

impl Call {
    fn merge(&mut self, fields: ToolCallFields) {
        self.kind = fields.kind().or(self.kind);
        // Later titles tell how far the call is; the first one is what it is.
        self.title = self.title.take().or(fields.title);
        self.name = fields.name.or(self.name.take());
        let location = fields.locations.and_then(|found| found.into_iter().next());
        self.path = location.map(|location| location.path).or(self.path.take());
        if let Some(input) = fields.raw_input {
            self.input = input;
        }
        if let Some(output) = fields.raw_output {
            self.output = output;
        }
        if let Some(content) = fields.content {
            self.replace_content(content);
        }
    }

    fn replace_content(&mut self, content: Vec<Value>) {
        let mut texts = Vec::new();
        let mut edits = Vec::new();
        for item in content {
            match serde_json::from_value(item.clone()) {
                Ok(ToolContent::Content { content }) => texts.push(block_text(&content)),
                Ok(ToolContent::Diff {
                    path,
                    old_text,
                    new_text,
                }) => edits.push(AgentEvent::Edit {
                    id: self.id.clone(),
                    path,
                    old: old_text,
                    new: new_text,
                }),
                Ok(ToolContent::Terminal {}) => {}
                Err(_) => texts.push(item.to_string()),
            }
        }
        self.text = (!texts.is_empty()).then(|| texts.join("\n"));
        // Some agents put the words of the result in the place of the change.
        if !edits.is_empty() {
            self.edits = edits;
        }
    }

    /// An announced call is told once it begins or has the argument that says most: some agents send it late.
    fn tell(&mut self, status: Option<ToolStatus>, events: &mut Vec<AgentEvent>) {
        let is_over = matches!(status, Some(ToolStatus::Completed | ToolStatus::Failed));
        let has_begun = is_over || status == Some(ToolStatus::InProgress);
        let is_telling = match status {
            Some(ToolStatus::Pending) => has_subject(&self.input),
            _ => !is_empty(&self.input),
        };
        if !self.is_told && (has_begun || is_telling) {
            events.push(self.told());
        }
        if !is_over {
            return;
        }
        let is_error = status == Some(ToolStatus::Failed);
        let edits = std::mem::take(&mut self.edits);
        // A change that the arguments tell already is told once.
        let is_news = !is_error && !self.is_edit_told;
        events.extend(edits.into_iter().filter(|_| is_news));
        events.push(AgentEvent::ToolResult {
            id: self.id.clone(),
            content: self
                .text
                .take()
                .unwrap_or_else(|| output_text(&self.output)),
            is_error,
        });
        *self = Self {
            id: std::mem::take(&mut self.id),
            is_told: true,
            is_over: true,
            ..Self::default()
        };
    }

    fn told(&mut self) -> AgentEvent {
        self.is_told = true;
        self.is_edit_told = ToldEdit::of(&self.input).is_some();
        AgentEvent::ToolCall {
            id: self.id.clone(),
            name: self.name(),
            input: self.input.clone(),
        }
    }

    fn tool_use(&self) -> ToolUse {
        // A title is the model's own text: a rule for `read` must not fit a command that calls itself so.
        let tool = self.name.clone().filter(|name| !name.is_empty());
        let kind = || self.kind.unwrap_or(ToolKind::Other).as_str().to_owned();
        let tool = tool.unwrap_or_else(kind);
        let kind = self.kind.unwrap_or_else(|| ToolKind::of_tool(&tool));
        let mut asked = ToolUse {
            tool,
            kind,
            input: self.input.clone(),
        };
        // Rules speak of paths, also where only the place of the call has it.
        if let Some(path) = &self.path
            && asked.subject().is_none()
        {
            if asked.input.is_null() {
                asked.input = Value::Object(serde_json::Map::new());
            }
            if let Some(fields) = asked.input.as_object_mut() {
                fields.insert("path".to_owned(), path.as_str().into());
            }
        }
        asked
    }

    /// What it is called on screen.
    fn name(&self) -> String {
        let named = self.name.as_ref().or(self.title.as_ref());
        let named = named.filter(|name| !name.is_empty());
        let kind = || self.kind.unwrap_or(ToolKind::Other).as_str().to_owned();
        named.cloned().unwrap_or_else(kind)
    }
}

fn has_subject(input: &Value) -> bool {
    let with_input = ToolUse {
        tool: String::new(),
        kind: ToolKind::Other,
        input: input.clone(),
    };
    with_input.subject().is_some()
}

fn is_empty(input: &Value) -> bool {
    input.is_null() || input.as_object().is_some_and(serde_json::Map::is_empty)
}

fn output_text(output: &Value) -> String {
    let named = ["output", "error", "message"];
    let named = named.iter().find_map(|name| output.get(name)?.as_str());
    match (named.or(output.as_str()), output) {
        (Some(text), _) => text.to_owned(),
        (None, Value::Null) => String::new(),
        (None, output) => output.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn learn(calls: &mut ToolCalls, fields: Value) -> Vec<AgentEvent> {
        calls.learn(serde_json::from_value(fields).unwrap())
    }

    #[test]
    fn a_call_is_told_with_its_arguments_and_answered_once() {
        let mut calls = ToolCalls::default();
        let announced = json!({"toolCallId": "c", "title": "bash", "kind": "execute", "status": "pending", "rawInput": {"cwd": "/w"}});
        assert!(learn(&mut calls, announced).is_empty());
        let begun = json!({"toolCallId": "c", "status": "in_progress", "title": "Lists files", "rawInput": {"command": "ls"}});
        let call = AgentEvent::ToolCall {
            id: "c".to_owned(),
            name: "bash".to_owned(),
            input: json!({"command": "ls"}),
        };
        assert_eq!(learn(&mut calls, begun), [call]);
        let output = json!({"toolCallId": "c", "status": "in_progress", "content": [{"type": "content", "content": {"type": "text", "text": "a"}}]});
        assert!(learn(&mut calls, output).is_empty());
        let done = json!({"toolCallId": "c", "status": "completed", "content": [{"type": "content", "content": {"type": "text", "text": "a\nb"}}], "rawOutput": {"output": "x"}});
        let result = AgentEvent::ToolResult {
            id: "c".to_owned(),
            content: "a\nb".to_owned(),
            is_error: false,
        };
        assert_eq!(learn(&mut calls, done), [result]);
        let late = json!({"toolCallId": "c", "title": "Listed files"});
        assert!(learn(&mut calls, late).is_empty());
        assert!(calls.untold().is_empty());
    }

    #[test]
    fn changes_are_told_only_if_they_were_made() {
        for (status, is_made) in [("completed", true), ("failed", false)] {
            let mut calls = ToolCalls::default();
            let diff = json!({"type": "diff", "path": "/w/a", "oldText": "1", "newText": "2"});
            let call = json!({"toolCallId": "c", "title": "Edit", "kind": "edit", "rawInput": {"path": "/w/a"}, "content": [diff]});
            assert_eq!(learn(&mut calls, call).len(), 1);
            let text = json!({"type": "content", "content": {"type": "text", "text": "done"}});
            let end = json!({"toolCallId": "c", "status": status, "content": [text]});
            let events = learn(&mut calls, end);
            let edited = AgentEvent::Edit {
                id: "c".to_owned(),
                path: "/w/a".to_owned(),
                old: Some("1".to_owned()),
                new: "2".to_owned(),
            };
            assert_eq!(events.contains(&edited), is_made, "{events:?}");
            assert!(
                matches!(events.last(), Some(AgentEvent::ToolResult { content, is_error, .. }) if content == "done" && *is_error != is_made)
            );
        }
    }

    #[test]
    fn a_change_is_told_once() {
        let diff = json!({"type": "diff", "path": "/w/a", "oldText": "1", "newText": "2"});
        let end = json!({"toolCallId": "c", "status": "completed", "content": [diff]});
        let edits = |inputs: &[Value]| {
            let mut calls = ToolCalls::default();
            for input in inputs {
                learn(
                    &mut calls,
                    json!({"toolCallId": "c", "kind": "edit", "status": "in_progress", "rawInput": input}),
                );
            }
            let events = learn(&mut calls, end.clone());
            let is_edit = |event: &&AgentEvent| matches!(event, AgentEvent::Edit { .. });
            events.iter().filter(is_edit).count()
        };
        let (path, whole) = (
            json!({"filePath": "/w/a"}),
            json!({"filePath": "/w/a", "oldString": "1", "newString": "2"}),
        );
        assert_eq!(edits(std::slice::from_ref(&path)), 1);
        assert_eq!(edits(std::slice::from_ref(&whole)), 0, "the call tells it");
        assert_eq!(edits(&[path, whole]), 1, "the call was told without it");
    }

    #[test]
    fn an_update_of_an_unknown_call_is_a_call() {
        let mut calls = ToolCalls::default();
        let events = learn(
            &mut calls,
            json!({"toolCallId": "c", "kind": "not_yet_known", "status": "failed", "rawOutput": {"error": "no"}}),
        );
        assert!(
            matches!(&events[..], [AgentEvent::ToolCall { name, .. }, AgentEvent::ToolResult { content, is_error: true, .. }] if name == "other" && content == "no"),
            "{events:?}"
        );
    }

    #[test]
    fn calls_without_end_are_forgotten_but_told() {
        let mut calls = ToolCalls::default();
        let mut told = 0;
        for number in 0..MOST_CALLS + 10 {
            let id = number.to_string();
            told += learn(&mut calls, json!({"toolCallId": id, "title": "t"})).len();
        }
        assert_eq!((told, calls.0.len()), (10, MOST_CALLS));
        assert_eq!(calls.untold().len(), MOST_CALLS);
    }

    #[test]
    fn what_is_asked_about_has_a_kind_and_a_path() {
        let mut calls = ToolCalls::default();
        let fields = json!({"toolCallId": "c", "title": "Write a file", "kind": "switch_mode", "locations": [{"path": "/w/a"}]});
        learn(&mut calls, fields);
        let (tool_use, title) = calls.tool_use("c");
        assert_eq!(tool_use.kind, ToolKind::Other);
        assert_eq!(tool_use.subject().as_deref(), Some("/w/a"));
        assert_eq!(title.as_deref(), Some("Write a file"));
    }

    #[test]
    fn a_title_is_no_name_that_rules_could_take_for_a_tool() {
        let mut calls = ToolCalls::default();
        let asked = |calls: &mut ToolCalls, fields| {
            learn(calls, fields);
            calls.tool_use("c").0
        };
        let titled = json!({"toolCallId": "c", "title": "read", "kind": "execute", "rawInput": {"command": "make"}});
        let tool_use = asked(&mut calls, titled);
        assert_eq!(
            (tool_use.tool.as_str(), tool_use.kind),
            ("execute", ToolKind::Execute)
        );
        let unknown = json!({"toolCallId": "c", "title": "read"});
        let tool_use = asked(&mut ToolCalls::default(), unknown);
        assert_eq!(
            (tool_use.tool.as_str(), tool_use.kind),
            ("other", ToolKind::Other)
        );
        let named = asked(&mut calls, json!({"toolCallId": "c", "name": "shell"}));
        assert_eq!(named.tool, "shell");
    }
}
