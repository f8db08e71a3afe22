//! What a tool answered, read in one pass: tool results are most of what an agent prints.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A string in every build seen; a list or an object is kept as JSON text.
pub(super) struct ToolText<'a>(pub(super) Cow<'a, str>);

impl<'a, 'de: 'a> Deserialize<'de> for ToolText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ToolTextVisitor)
    }
}

struct ToolTextVisitor;

impl<'de> Visitor<'de> for ToolTextVisitor {
    type Value = ToolText<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("what a tool answered")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(ToolText(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(ToolText(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(items)).map(|value| as_json(&value))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(fields)).map(|value| as_json(&value))
    }
}

fn as_json(value: &Value) -> ToolText<'static> {
    ToolText(Cow::Owned(value.to_string()))
}
