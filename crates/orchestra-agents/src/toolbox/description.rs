//! Reading what a tool tells of itself: JSON with a schema, JSON with short arguments, or lines of text.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

const LONGEST_NAME: usize = 64;
const LONGEST_DESCRIPTION: usize = 16 * 1024;
const MOST_PARAMETERS: usize = 100;

/// What a tool tells of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDescription {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it takes, as JSON Schema of an object.
    pub schema: Value,
    /// How it reads what it takes.
    pub format: InputFormat,
}

/// How a tool reads what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputFormat {
    /// One JSON object.
    Json,
    /// A line `name: value` for each parameter.
    Text,
}

/// Why a description cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadDescription {
    /// It is no text.
    #[error("its description is no text")]
    NoText,
    /// It has no name.
    #[error("its description has no name")]
    NoName,
    /// Its name is none that an agent could use.
    #[error("its name must be up to 64 letters, digits, `-` and `_`")]
    Name,
    /// It describes too much.
    #[error("its description is too long")]
    TooLong,
    /// A part of it is not what the protocol wants.
    #[error("its description has {0} that cannot be read")]
    Part(&'static str),
}

/// Reads what a tool printed.
///
/// # Errors
/// If it is not what the protocol wants.
pub fn read_description(printed: &[u8]) -> Result<ToolDescription, BadDescription> {
    let text = std::str::from_utf8(printed).map_err(|_| BadDescription::NoText)?;
    let described = match text.trim_start().starts_with('{') {
        true => of_json(text)?,
        false => of_lines(text)?,
    };
    require_usable(&described)?;
    Ok(described)
}

fn require_usable(tool: &ToolDescription) -> Result<(), BadDescription> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let is_name = tool.name.len() <= LONGEST_NAME && tool.name.chars().all(is_letter);
    let parameters = tool.schema.get("properties").and_then(Value::as_object);
    match (tool.name.is_empty(), is_name) {
        (true, _) => Err(BadDescription::NoName),
        (false, false) => Err(BadDescription::Name),
        _ if tool.description.len() > LONGEST_DESCRIPTION => Err(BadDescription::TooLong),
        _ if parameters.is_some_and(|all| all.len() > MOST_PARAMETERS) => {
            Err(BadDescription::TooLong)
        }
        _ => Ok(()),
    }
}

#[derive(Deserialize)]
struct Told {
    #[serde(default)]
    name: String,
    #[serde(default)]
    description: String,
    #[serde(rename = "inputSchema")]
    schema: Option<Value>,
    #[serde(default)]
    args: Map<String, Value>,
}

fn of_json(text: &str) -> Result<ToolDescription, BadDescription> {
    let told: Told = serde_json::from_str(text).map_err(|_| BadDescription::Part("JSON"))?;
    let schema = match told.schema {
        Some(schema) if is_object_schema(&schema) => schema,
        Some(_) => return Err(BadDescription::Part("a schema")),
        None => of_arguments(&told.args)?,
    };
    Ok(ToolDescription {
        name: told.name,
        description: told.description,
        schema,
        format: InputFormat::Json,
    })
}

fn is_object_schema(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

/// `{"who": ["string", "whom to greet"]}`, with `string?` for what may be left out.
fn of_arguments(arguments: &Map<String, Value>) -> Result<Value, BadDescription> {
    let mut schema = Parameters::default();
    for (name, told) in arguments {
        let (kind, about) = match told {
            Value::String(kind) => (Some(kind.as_str()), None),
            Value::Array(parts) => (
                parts.first().and_then(Value::as_str),
                parts.get(1).and_then(Value::as_str),
            ),
            _ => (None, None),
        };
        let kind = kind.ok_or(BadDescription::Part("an argument"))?;
        schema.add(name, kind, about.unwrap_or_default());
    }
    Ok(schema.finish())
}

/// Lines `name: x`, `description: y`, and `parameter: type what it is` for the others.
fn of_lines(text: &str) -> Result<ToolDescription, BadDescription> {
    let (mut name, mut description) = (String::new(), String::new());
    let mut schema = Parameters::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (label, rest) = line.split_once(':').ok_or(BadDescription::Part("a line"))?;
        let (label, rest) = (label.trim(), rest.trim());
        match label {
            "name" => rest.clone_into(&mut name),
            "description" if description.is_empty() => rest.clone_into(&mut description),
            "description" => description = format!("{description}\n{rest}"),
            _ => {
                let (kind, about) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                schema.add(label, kind, about.trim());
            }
        }
    }
    Ok(ToolDescription {
        name,
        description,
        schema: schema.finish(),
        format: InputFormat::Text,
    })
}

/// Parameters on the way to a schema.
#[derive(Default)]
struct Parameters {
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl Parameters {
    fn add(&mut self, name: &str, kind: &str, about: &str) {
        let plain = kind.trim_end_matches('?');
        if plain.len() == kind.len() {
            self.required.push(name.to_owned());
        }
        let known = ["string", "number", "integer", "boolean", "array", "object"];
        // A word that JSON Schema does not know says nothing an agent could use.
        let kind = if known.contains(&plain) {
            plain
        } else {
            "string"
        };
        let property = json!({ "type": kind, "description": about });
        self.properties.insert(name.to_owned(), property);
    }

    fn finish(self) -> Value {
        json!({
            "type": "object",
            "properties": self.properties,
            "required": self.required,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> ToolDescription {
        read_description(text.as_bytes()).unwrap()
    }

    #[test]
    fn the_three_ways_tell_the_same() {
        let schema = json!({
            "type": "object",
            "properties": {
                "often": { "type": "number", "description": "how often" },
                "who": { "type": "string", "description": "whom to greet" },
            },
            "required": ["who"],
        });
        let whole = format!(r#"{{"name":"greet","description":"Greets","inputSchema":{schema}}}"#);
        let short = r#"{"name":"greet","description":"Greets","args":{"who":["string","whom to greet"],"often":["number?","how often"]}}"#;
        let lines = "name: greet\ndescription: Greets\nwho: string whom to greet\noften: number? how often\n";
        for (text, format) in [
            (whole.as_str(), InputFormat::Json),
            (short, InputFormat::Json),
            (lines, InputFormat::Text),
        ] {
            let tool = described(text);
            assert_eq!(tool.schema, schema, "{text}");
            assert_eq!((tool.name.as_str(), tool.format), ("greet", format));
        }
    }

    #[test]
    fn a_bad_description_says_what_is_wrong() {
        let why = |text: &str| read_description(text.as_bytes()).unwrap_err();
        assert_eq!(why(""), BadDescription::NoName);
        assert_eq!(why("{}"), BadDescription::NoName);
        assert_eq!(why("{"), BadDescription::Part("JSON"));
        assert_eq!(why("hello"), BadDescription::Part("a line"));
        assert_eq!(why("name: ../../bin/sh"), BadDescription::Name);
        assert_eq!(why("name: a b"), BadDescription::Name);
        assert_eq!(
            why(&format!("name: {}", "a".repeat(65))),
            BadDescription::Name
        );
        let schema = r#"{"name":"a","inputSchema":{"type":"string"}}"#;
        assert_eq!(why(schema), BadDescription::Part("a schema"));
        let argument = r#"{"name":"a","args":{"b":1}}"#;
        assert_eq!(why(argument), BadDescription::Part("an argument"));
        let long = format!(
            "name: a\ndescription: {}",
            "x".repeat(LONGEST_DESCRIPTION + 1)
        );
        assert_eq!(why(&long), BadDescription::TooLong);
        assert_eq!(
            read_description(&[0xff]).unwrap_err(),
            BadDescription::NoText
        );
    }
}
