//! The document in the terms people read: operations with what they take and answer, and the types with their fields.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use utoipa::openapi::OpenApi;

/// Everything there is to say about the API.
pub(crate) struct Described {
    /// Operations by what they are about.
    pub(crate) operations: BTreeMap<String, Vec<Operation>>,
    /// Types by their names.
    pub(crate) types: Vec<Type>,
}

pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) summary: String,
    pub(crate) more: String,
    pub(crate) parameters: Vec<Field>,
    /// The type of the body that is sent.
    pub(crate) body: Option<String>,
    /// What is answered when all goes well: status and type.
    pub(crate) answer: Option<(String, String)>,
}

pub(crate) struct Type {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) fields: Vec<Field>,
    /// What it is, where it has no fields.
    pub(crate) is: Option<String>,
}

pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) is_required: bool,
    pub(crate) about: String,
}

impl Described {
    pub(crate) fn of(document: &OpenApi) -> Self {
        // What the server itself puts together is always writable as JSON.
        let document = serde_json::to_value(document).unwrap_or_default();
        let mut operations = BTreeMap::<String, Vec<Operation>>::new();
        for (path, methods) in entries(&document["paths"]) {
            for (method, operation) in entries(methods) {
                let tag = text(&operation["tags"][0]);
                let described = Operation::of(method, path, operation);
                operations.entry(tag).or_default().push(described);
            }
        }
        let types = entries(&document["components"]["schemas"]);
        let types = types.map(|(name, schema)| Type::of(name, schema)).collect();
        Self { operations, types }
    }
}

impl Operation {
    fn of(method: &str, path: &str, operation: &Value) -> Self {
        let parameters = operation["parameters"].as_array();
        let parameters = parameters.into_iter().flatten().map(|parameter| Field {
            name: text(&parameter["name"]),
            kind: kind(&parameter["schema"]),
            is_required: parameter["required"] == true,
            about: text(&parameter["description"]),
        });
        let answers = entries(&operation["responses"]);
        let mut good = answers.filter(|(status, _)| status.starts_with('2'));
        Self {
            id: text(&operation["operationId"]),
            method: method.to_ascii_uppercase(),
            path: path.to_owned(),
            summary: text(&operation["summary"]),
            more: text(&operation["description"]),
            parameters: parameters.collect(),
            body: content(&operation["requestBody"]),
            answer: good
                .next()
                .and_then(|(status, answer)| Some((status.to_owned(), content(answer)?))),
        }
    }
}

impl Type {
    fn of(name: &str, schema: &Value) -> Self {
        let mut fields = Vec::new();
        add_fields(schema, &mut fields);
        Self {
            name: name.to_owned(),
            about: text(&schema["description"]),
            is: fields.is_empty().then(|| kind(schema)),
            fields,
        }
    }
}

/// The fields of a type, with those of the types it is made of.
fn add_fields(schema: &Value, fields: &mut Vec<Field>) {
    for part in schema["allOf"].as_array().into_iter().flatten() {
        match part["$ref"].as_str() {
            Some(_) => fields.push(Field {
                name: "...".to_owned(),
                kind: kind(part),
                is_required: true,
                about: "All of its fields.".to_owned(),
            }),
            None => add_fields(part, fields),
        }
    }
    let required = schema["required"].as_array();
    for (name, field) in entries(&schema["properties"]) {
        fields.push(Field {
            name: name.to_owned(),
            kind: kind(field),
            is_required: required.is_some_and(|all| all.iter().any(|it| it == name)),
            about: about(field),
        });
    }
}

fn about(field: &Value) -> String {
    let own = text(&field["description"]);
    match field["oneOf"].as_array() {
        Some(ways) if own.is_empty() => ways.first().map(about).unwrap_or_default(),
        _ => own,
    }
}

fn content(message: &Value) -> Option<String> {
    let (media, content) = entries(&message["content"]).next()?;
    Some(match media {
        "application/json" => kind(&content["schema"]),
        other => other.to_owned(),
    })
}

/// What kind of value it is, in words; a type by its name.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or(reference);
        return name.to_owned();
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<_> = words
            .iter()
            .map(|word| format!("`{}`", text(word)))
            .collect();
        return words.join(", ");
    }
    for ways in ["oneOf", "anyOf", "allOf"] {
        if let Some(ways) = schema[ways].as_array() {
            let ways: Vec<_> = ways.iter().map(kind).collect();
            return ways.join(" or ");
        }
    }
    match &schema["type"] {
        Value::Array(types) => {
            let types: Vec<_> = types.iter().map(|it| simple(it, schema)).collect();
            types.join(" or ")
        }
        one => simple(one, schema),
    }
}

fn simple(kind_name: &Value, schema: &Value) -> String {
    match (kind_name.as_str(), schema["format"].as_str()) {
        (Some("array"), _) => format!("list of {}", kind(&schema["items"])),
        (Some("string"), Some("date-time")) => "time".to_owned(),
        (Some("string"), _) => "text".to_owned(),
        (Some("integer"), _) => "whole number".to_owned(),
        (Some("object"), _) => fields_in_line(schema),
        (Some(other), _) => other.to_owned(),
        (None, _) => "anything".to_owned(),
    }
}

fn fields_in_line(schema: &Value) -> String {
    let fields = entries(&schema["properties"]);
    let fields: Vec<_> = fields
        .map(|(name, it)| format!("{name}: {}", kind(it)))
        .collect();
    match (fields.is_empty(), &schema["additionalProperties"]) {
        (true, Value::Object(_)) => format!("names to {}", kind(&schema["additionalProperties"])),
        (true, _) => "object".to_owned(),
        (false, _) => format!("{{ {} }}", fields.join(", ")),
    }
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let fields = value.as_object().into_iter().flat_map(Map::iter);
    fields.map(|(name, value)| (name.as_str(), value))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_says_what_it_takes_and_answers() {
        let described = Described::of(&crate::document());
        let all = || described.operations.values().flatten();
        let find = |id: &str| all().find(|operation| operation.id == id).unwrap();
        let list = find("list_sessions");
        let limit = list
            .parameters
            .iter()
            .find(|it| it.name == "limit")
            .unwrap();
        assert_eq!(
            (limit.kind.as_str(), limit.is_required),
            ("whole number", false)
        );
        assert_eq!(list.answer.as_ref().unwrap().1, "SessionPage");
        assert_eq!(
            find("create_session").body.as_deref(),
            Some("CreateSession")
        );
        let made = described.types.iter().find(|it| it.name == "CreateSession");
        let fields = &made.unwrap().fields;
        let named = |name: &str| fields.iter().find(|field| field.name == name).unwrap();
        assert!(named("name").is_required && !named("model").is_required);
        assert_eq!(named("budget").kind, "Budget or null");
        for operation in all() {
            assert!(operation.answer.is_some(), "{}", operation.id);
        }
    }
}
