//! The JSON Schema of settings files, for editors.

use serde_json::{Map, Value, json};

use crate::keys::{KEYS, Key, Preset};
use crate::raw::Raw;
use crate::typed::Typed;

const CHOSEN_NAME: &str = "^(?!default$)[A-Za-z0-9][A-Za-z0-9_:-]{0,39}$";

/// The JSON Schema of a settings file.
#[must_use]
pub fn schema() -> Value {
    let mut sections = Map::new();
    for section in sorted(KEYS.iter().map(Key::section)) {
        sections.insert(section.to_owned(), object_below(section));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "additionalProperties": false,
        "properties": sections,
        "title": "Amp Orchestra settings",
        "type": "object",
    })
}

/// The table at a path; a `*` below it becomes a pattern for names.
fn object_below(path: &str) -> Value {
    let mut properties = Map::new();
    let mut patterns = Map::new();
    for child in sorted(KEYS.iter().filter_map(|key| child_of(path, key.name))) {
        let below = format!("{path}.{child}");
        let value = KEYS
            .iter()
            .find(|key| key.name == below)
            .map_or_else(|| object_below(&below), leaf);
        if child == "*" {
            patterns.insert(CHOSEN_NAME.to_owned(), value);
        } else {
            properties.insert(child.to_owned(), value);
        }
    }
    let mut object = Map::new();
    object.insert("additionalProperties".to_owned(), Value::Bool(false));
    if !patterns.is_empty() {
        object.insert("patternProperties".to_owned(), Value::Object(patterns));
    }
    if !properties.is_empty() {
        object.insert("properties".to_owned(), Value::Object(properties));
    }
    object.insert("type".to_owned(), "object".into());
    Value::Object(object)
}

fn leaf(key: &Key) -> Value {
    let mut schema = key.kind.schema();
    schema["description"] = key.description.into();
    if let Preset::Fixed(text) = key.default
        && let Some(typed) = key.kind.parse(&Raw::Argument(text.into()))
    {
        schema["default"] = default_value(&typed, text);
    }
    schema
}

fn default_value(typed: &Typed, text: &str) -> Value {
    match typed {
        Typed::Count(count) => (*count).into(),
        Typed::Switch(on) => (*on).into(),
        Typed::Words(list) | Typed::List(list) => list.clone().into(),
        Typed::Text(_) | Typed::Duration(_) | Typed::Size(_) | Typed::Path(_) => text.into(),
        Typed::Paths(paths) => paths
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
    }
}

fn child_of<'a>(path: &str, name: &'a str) -> Option<&'a str> {
    name.strip_prefix(path)?
        .strip_prefix('.')?
        .split('.')
        .next()
}

fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}
