//! How a provider is spoken with.

use serde_json::Value;

use super::amp::Messages;
use super::answer::Answer;
use super::chat::ChatCompletions;
use super::responses::Responses;
use super::script::{Call, Item};

/// One provider's way.
pub(super) trait Dialect {
    /// What was said so far.
    fn items(&self, request: &Value) -> Vec<Item>;

    /// Whether the agent only wants a title for the conversation.
    fn wants_title(&self, request: &Value) -> bool;

    /// A title.
    fn title(&self, request: &Value) -> Answer;

    /// A message that ends the turn.
    fn say(&self, request: &Value, text: &str) -> Answer;

    /// A use of a tool.
    fn call(&self, request: &Value, id: &str, call: &Call) -> Answer;
}

/// The way that belongs to a path.
pub(super) fn dialect(path: &str) -> Option<&'static dyn Dialect> {
    let path = path.split('?').next().unwrap_or_default();
    let known: [(&str, &'static dyn Dialect); 3] = [
        ("/messages", &Messages),
        ("/responses", &Responses),
        ("/chat/completions", &ChatCompletions),
    ];
    let found = known.into_iter().find(|(end, _)| path.ends_with(end));
    found.map(|(_, dialect)| dialect)
}

/// The text of a message, which is either a string or a list of blocks.
pub(super) fn text_of(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let blocks = content.as_array().into_iter().flatten();
    let texts: Vec<_> = blocks.filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}
