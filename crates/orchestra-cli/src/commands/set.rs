//! `set`: change a field of a session.

use std::fmt::Display;
use std::process::ExitCode;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use orchestra_config::quantity::parse_duration;
use orchestra_core::{InvalidRule, PermissionRule, RuntimeField, Session, visible_line};
use orchestra_engine::{EngineError, SessionField};

use crate::Done;
use crate::commands::new::toolbox_wish;
use crate::context::Context;
use crate::error::CliError;
use orchestra_server::wire;

/// Change a field of a session
#[derive(Debug, Args)]
#[command(after_help = "\
An empty value clears a field.

Examples:
  set login notes \"Ask before touching the database\"
  set login script \"npm test\"
  set login script \"\"
  set login permissions ask     you decide what no rule speaks of
  set login rules \"allow execute make*\"
  set login env development     where its agent finds its server
  set login budget 2.50         dollars that all its iterations may cost
  set login isolation none      do not look what changes outside of its worktree
  set login toolbox deploy,./tools
  set login mcp issues          MCP servers it is told of; `none`: none
  set login branch fix/login    after `git branch -m`
  set login base develop        to land there instead
  set login worktree ../login   after you moved its directory")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// The field
    field: Field,
    /// The new value
    #[arg(allow_hyphen_values = true)]
    value: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Field {
    Name,
    Prompt,
    Notes,
    Constraints,
    Issue,
    Script,
    Model,
    Agent,
    Timeout,
    Permissions,
    Rules,
    Env,
    Mode,
    Budget,
    Isolation,
    Toolbox,
    Mcp,
    Branch,
    Base,
    Worktree,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let field = field(context, arguments)?;
    let changed = context.engine.set_field(&view.session.id, &field)?;
    if matches!(
        field,
        SessionField::Prompt(_) | SessionField::Notes(_) | SessionField::Constraints(_)
    ) {
        context.warn_secret(&format!("the {}", field.name()), &arguments.value);
    }
    if matches!(field, SessionField::Permissions(_) | SessionField::Rules(_))
        && let Some(warning) = context.engine.idle_rules_warning(&changed.session)
    {
        context.printer.warn(warning);
    }
    if context.printer.json {
        context
            .printer
            .json(&wire::answer(&context.engine, &changed.session.id)?);
    } else {
        let done = if arguments.value.trim().is_empty() {
            "cleared"
        } else {
            "set"
        };
        let (field, id) = (field.name(), &changed.session.id);
        context.printer.line(format!("{done} the {field} of {id}"));
    }
    if let Some(ended) = ended_conversation(&view.session, &changed.session) {
        context.printer.note(ended);
    }
    Ok(ExitCode::SUCCESS)
}

/// Another agent knows nothing of what was said to the one before.
fn ended_conversation(before: &Session, after: &Session) -> Option<String> {
    before.thread.as_ref().filter(|_| after.thread.is_none())?;
    let agent = visible_line(&before.agent);
    Some(format!(
        "  the conversation with {agent} ends: the next iteration begins a new one, which is told what happened before"
    ))
}

const fn runtime(field: RuntimeField) -> SessionField {
    SessionField::Runtime(field)
}

/// A value that can be cleared to follow a setting.
fn read<Value>(text: Option<String>, setting: &str) -> Result<Option<Value>, CliError>
where
    Value: FromStr,
    Value::Err: Display,
{
    let value = text.map(|text| text.trim().parse()).transpose();
    value.map_err(|error: Value::Err| {
        CliError::usage(error.to_string(), format!("clear it to follow {setting}"))
    })
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty())
}

/// Names with commas or white space between.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| letter == ',' || letter.is_whitespace());
    words.filter(|word| !word.is_empty())
}

/// Names and directories with commas or line breaks between: a path may have spaces.
fn toolboxes(text: &str) -> Result<Vec<String>, CliError> {
    let names = text.split([',', '\n']).map(str::trim);
    let names = names.filter(|name| !name.is_empty()).map(toolbox_wish);
    let names: Result<_, _> = names.collect();
    names.map_err(|error| CliError::usage(error, "name a toolbox of the settings or a directory"))
}

/// One rule per line.
fn rules(text: &str) -> Result<Vec<PermissionRule>, CliError> {
    let rules: Result<_, _> = lines(text).map(str::parse).collect();
    rules
        .map_err(|error: InvalidRule| CliError::usage(error.to_string(), "write one rule per line"))
}

fn field(context: &Context, arguments: &Arguments) -> Result<SessionField, CliError> {
    let text = arguments.value.clone();
    let optional = (!text.trim().is_empty()).then(|| text.clone());
    Ok(match arguments.field {
        Field::Name => {
            let name = text.parse().map_err(|error| {
                CliError::usage(
                    format!("{error}"),
                    "choose one line of at most 120 characters",
                )
            })?;
            SessionField::Name(name)
        }
        Field::Prompt if text.trim().is_empty() => {
            return Err(CliError::usage(
                "the prompt is empty",
                "say what the agent should do",
            ));
        }
        Field::Prompt => SessionField::Prompt(text),
        Field::Notes => SessionField::Notes(optional),
        Field::Constraints => SessionField::Constraints(optional),
        Field::Issue => SessionField::Issue(optional),
        Field::Script => SessionField::Script(optional),
        Field::Model => SessionField::Model(optional),
        Field::Agent => SessionField::Agent(text),
        Field::Branch => SessionField::Branch(text.parse().map_err(EngineError::from)?),
        Field::Base => SessionField::Base {
            branch: text.parse().map_err(EngineError::from)?,
            remote: None,
        },
        Field::Worktree => SessionField::Worktree(context.path(text.as_ref())),
        Field::Permissions => SessionField::Permissions(read(optional, "agents.permissions")?),
        Field::Rules => SessionField::Rules(rules(&text)?),
        Field::Env => runtime(RuntimeField::Environment(optional)),
        Field::Mode => runtime(RuntimeField::Mode(optional)),
        Field::Budget => runtime(RuntimeField::Budget(read(optional, "limits.budget")?)),
        Field::Isolation => runtime(RuntimeField::Isolation(read(
            optional,
            "security.isolation",
        )?)),
        Field::Toolbox => runtime(RuntimeField::Toolboxes(toolboxes(&text)?)),
        Field::Mcp => runtime(RuntimeField::Mcp(words(&text).map(str::to_owned).collect())),
        Field::Timeout => SessionField::Timeout(match optional {
            Some(text) => Some(parse_duration(&text).ok_or_else(|| {
                CliError::usage(
                    format!("`{text}` is not a time"),
                    "write it as 90s, 30m or 2h",
                )
            })?),
            None => None,
        }),
    })
}
