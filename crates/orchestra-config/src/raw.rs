//! A value as somebody wrote it, before its setting gives it a meaning.

use toml_edit::{Item, Value};

/// What was found in a file, a variable or on the command line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Raw {
    /// Untyped text from a variable or the command line.
    Argument(String),
    Text(String),
    Integer(i64),
    Boolean(bool),
    Strings(Vec<String>),
    Table,
    /// Something no setting takes, in words.
    Other(&'static str),
}

impl Raw {
    pub(crate) fn of_item(item: &Item) -> Self {
        match item {
            Item::Value(value) => Self::of_value(value),
            Item::Table(_) | Item::ArrayOfTables(_) => Self::Table,
            Item::None => Self::Other("nothing"),
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Argument(text) | Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn integer(&self) -> Option<u64> {
        match self {
            Self::Argument(text) => text.parse().ok(),
            Self::Integer(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    pub(crate) fn boolean(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            Self::Argument(text) => match text.as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// A list as it stands, or an argument that is written as a TOML array.
    pub(crate) fn strings(&self) -> Option<Vec<String>> {
        match self {
            Self::Strings(list) => Some(list.clone()),
            Self::Argument(text) if text.starts_with('[') => {
                let value: Value = text.parse().ok()?;
                value.as_array().and_then(strings_of)
            }
            _ => None,
        }
    }

    /// For a message; long values are cut.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Argument(text) | Self::Text(text) => {
                let short: String = text.chars().take(60).collect();
                if short.len() < text.len() {
                    format!("{short:?}...")
                } else {
                    format!("{short:?}")
                }
            }
            Self::Integer(number) => number.to_string(),
            Self::Boolean(value) => value.to_string(),
            Self::Strings(list) => format!("{list:?}"),
            Self::Table => "a table".to_owned(),
            Self::Other(words) => (*words).to_owned(),
        }
    }

    fn of_value(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.value().clone()),
            Value::Integer(number) => Self::Integer(*number.value()),
            Value::Boolean(boolean) => Self::Boolean(*boolean.value()),
            Value::Array(array) => {
                strings_of(array).map_or(Self::Other("a list of more than text"), Self::Strings)
            }
            Value::InlineTable(_) => Self::Table,
            Value::Float(_) => Self::Other("a number with a fraction"),
            Value::Datetime(_) => Self::Other("a date or time"),
        }
    }
}

fn strings_of(array: &toml_edit::Array) -> Option<Vec<String>> {
    array
        .iter()
        .map(|value| value.as_str().map(str::to_owned))
        .collect()
}
