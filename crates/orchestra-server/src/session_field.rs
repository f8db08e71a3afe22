//! Fields of a session that a person changes, and their values as text.

use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;

use orchestra_config::quantity::parse_duration;
use orchestra_core::{InvalidRule, PermissionRule, RuntimeField};
use orchestra_engine::{EngineError, SessionField};

/// The fields, as they are named on the command line and in addresses.
pub const NAMES: &[&str] = &[
    "name",
    "prompt",
    "notes",
    "constraints",
    "issue",
    "script",
    "model",
    "agent",
    "timeout",
    "permissions",
    "rules",
    "env",
    "mode",
    "budget",
    "isolation",
    "toolbox",
    "mcp",
    "branch",
    "base",
    "worktree",
];

/// A field with its new value. An empty text clears what can be cleared. Paths are taken from `directory`.
///
/// # Errors
/// If there is no such field, or it cannot have that value.
pub fn parse(field: &str, text: &str, directory: &Path) -> Result<SessionField, EngineError> {
    let optional = || (!text.trim().is_empty()).then(|| text.to_owned());
    Ok(match field {
        "name" => SessionField::Name(read(text, "choose one line of at most 120 characters")?),
        "prompt" if text.trim().is_empty() => {
            return Err(invalid(
                "the prompt is empty",
                "say what the agent should do",
            ));
        }
        "prompt" => SessionField::Prompt(text.to_owned()),
        "notes" => SessionField::Notes(optional()),
        "constraints" => SessionField::Constraints(optional()),
        "issue" => SessionField::Issue(optional()),
        "script" => SessionField::Script(optional()),
        "model" => SessionField::Model(optional()),
        "agent" => SessionField::Agent(text.to_owned()),
        "timeout" => SessionField::Timeout(optional().as_deref().map(duration).transpose()?),
        "permissions" => SessionField::Permissions(follow(optional(), "agents.permissions")?),
        "rules" => SessionField::Rules(rules(text)?),
        "branch" => SessionField::Branch(text.parse().map_err(EngineError::from)?),
        "base" => SessionField::Base {
            branch: text.parse().map_err(EngineError::from)?,
            remote: None,
        },
        "worktree" => SessionField::Worktree(directory.join(text)),
        _ => SessionField::Runtime(runtime(field, text, optional(), directory)?),
    })
}

fn runtime(
    field: &str,
    text: &str,
    optional: Option<String>,
    directory: &Path,
) -> Result<RuntimeField, EngineError> {
    Ok(match field {
        "env" => RuntimeField::Environment(optional),
        "mode" => RuntimeField::Mode(optional),
        "budget" => RuntimeField::Budget(follow(optional, "limits.budget")?),
        "isolation" => RuntimeField::Isolation(follow(optional, "security.isolation")?),
        "toolbox" => RuntimeField::Toolboxes(toolboxes(text, directory)?),
        "mcp" => RuntimeField::Mcp(words(text).map(str::to_owned).collect()),
        _ => {
            return Err(invalid(
                &format!("a session has no field `{field}`"),
                &format!("the fields are {}", NAMES.join(", ")),
            ));
        }
    })
}

fn invalid(problem: &str, way_out: &str) -> EngineError {
    EngineError::Invalid {
        problem: problem.to_owned(),
        way_out: Some(way_out.to_owned()),
    }
}

fn read<Value>(text: &str, way_out: &str) -> Result<Value, EngineError>
where
    Value: FromStr,
    Value::Err: Display,
{
    text.parse()
        .map_err(|error: Value::Err| invalid(&error.to_string(), way_out))
}

/// A value that can be cleared to follow a setting.
fn follow<Value>(text: Option<String>, setting: &str) -> Result<Option<Value>, EngineError>
where
    Value: FromStr,
    Value::Err: Display,
{
    let way_out = format!("clear it to follow {setting}");
    let value = text.map(|text| read(text.trim(), &way_out));
    value.transpose()
}

/// A time as people write it.
///
/// # Errors
/// If the text is none.
pub fn duration(text: &str) -> Result<std::time::Duration, EngineError> {
    parse_duration(text).ok_or_else(|| {
        invalid(
            &format!("`{text}` is not a time"),
            "write it as 90s, 30m or 2h",
        )
    })
}

/// Names with commas or white space between.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| letter == ',' || letter.is_whitespace());
    words.filter(|word| !word.is_empty())
}

/// Names and directories with commas or line breaks between: a path may have spaces.
fn toolboxes(text: &str, directory: &Path) -> Result<Vec<String>, EngineError> {
    let names = text.split([',', '\n']).map(str::trim);
    let names = names.filter(|name| !name.is_empty());
    names.map(|name| toolbox_wish(name, directory)).collect()
}

/// A toolbox as a session remembers it: a directory by its whole path.
///
/// # Errors
/// If the path is no text.
pub fn toolbox_wish(text: &str, directory: &Path) -> Result<String, EngineError> {
    if !text.contains(std::path::is_separator) && text != "." {
        return Ok(text.to_owned());
    }
    // One that is not there is refused by whoever looks for it.
    let path = directory.join(text);
    let path = path.canonicalize().unwrap_or(path);
    let path = path.into_os_string().into_string();
    path.map_err(|_| {
        invalid(
            "the path is no text",
            "name a toolbox of the settings or a directory",
        )
    })
}

/// One rule per line.
fn rules(text: &str) -> Result<Vec<PermissionRule>, EngineError> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let rules: Result<_, _> = lines.map(str::parse).collect();
    rules.map_err(|error: InvalidRule| invalid(&error.to_string(), "write one rule per line"))
}
