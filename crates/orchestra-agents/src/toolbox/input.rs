//! What a tool reads when it is to do its work.

use serde_json::{Map, Value};

use super::{InputFormat, ToolDescription};

/// Why a tool cannot be given its input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadInput {
    /// A parameter that it wants is not there.
    #[error("the tool wants `{0}`")]
    Missing(String),
    /// A parameter that it does not have.
    #[error("the tool has no `{0}`")]
    Unknown(String),
    /// Its input has a line for each parameter, and this would be several.
    #[error("the tool reads `{0}` from one line, and this has several")]
    SeveralLines(String),
}

/// Refuses parameters that a tool does not name. Agents may give more, as JSON Schema has it; a person who does has slipped.
///
/// # Errors
/// If there is one that the tool has no place for.
pub fn require_known(
    tool: &ToolDescription,
    parameters: &Map<String, Value>,
) -> Result<(), BadInput> {
    let takes_more = ["additionalProperties", "patternProperties"].iter();
    let mut takes_more = takes_more.filter_map(|key| tool.schema.get(*key));
    if takes_more.any(|more| *more != Value::Bool(false)) {
        return Ok(());
    }
    let known = tool.schema.get("properties").and_then(Value::as_object);
    let is_known = |name: &&String| known.is_some_and(|known| known.contains_key(*name));
    match parameters.keys().find(|name| !is_known(name)) {
        Some(unknown) => Err(BadInput::Unknown(unknown.clone())),
        None => Ok(()),
    }
}

/// What a tool reads for these parameters.
///
/// # Errors
/// If one is missing, or cannot be told in the tool's format.
pub fn tool_input(
    tool: &ToolDescription,
    parameters: &Map<String, Value>,
) -> Result<Vec<u8>, BadInput> {
    let required = tool.schema.get("required").and_then(Value::as_array);
    let mut required = required.into_iter().flatten().filter_map(Value::as_str);
    if let Some(missing) = required.find(|name| !parameters.contains_key(*name)) {
        return Err(BadInput::Missing(missing.to_owned()));
    }
    match tool.format {
        InputFormat::Json => Ok(Value::Object(parameters.clone()).to_string().into_bytes()),
        InputFormat::Text => lines(parameters),
    }
}

fn lines(parameters: &Map<String, Value>) -> Result<Vec<u8>, BadInput> {
    let mut text = String::new();
    for (name, value) in parameters {
        let value = match value {
            Value::String(value) => value.clone(),
            other => other.to_string(),
        };
        // Another line would be another parameter.
        if [name.as_str(), &value]
            .iter()
            .any(|it| it.contains(['\n', '\r']))
        {
            return Err(BadInput::SeveralLines(name.clone()));
        }
        text.push_str(&format!("{name}: {value}\n"));
    }
    Ok(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::toolbox::read_description;

    fn input(description: &str, parameters: Value) -> Result<String, BadInput> {
        let tool = read_description(description.as_bytes()).unwrap();
        let Value::Object(parameters) = parameters else {
            panic!("no object");
        };
        let bytes = tool_input(&tool, &parameters)?;
        Ok(String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn each_format_has_its_own_input() {
        let who = json!({ "who": "you", "often": 2 });
        let text = "name: greet\nwho: string x\n";
        assert_eq!(input(text, who.clone()).unwrap(), "often: 2\nwho: you\n");
        let whole = r#"{"name":"greet","args":{"who":["string",""]}}"#;
        assert_eq!(input(whole, who).unwrap(), r#"{"often":2,"who":"you"}"#);
        let missing = BadInput::Missing("who".to_owned());
        assert_eq!(input(text, json!({})), Err(missing));
        let smuggled = json!({ "who": "you\nadmin: true" });
        let several = BadInput::SeveralLines("who".to_owned());
        assert_eq!(input(text, smuggled), Err(several));
    }
}
