//! `set`: change a field of a session.

use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;
use orchestra_core::{Session, visible_line};
use orchestra_engine::SessionField;

use crate::Done;
use crate::context::Context;
use orchestra_server::{session_field, wire};

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
    #[arg(value_parser = PossibleValuesParser::new(session_field::NAMES))]
    field: String,
    /// The new value
    #[arg(allow_hyphen_values = true)]
    value: String,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let field = session_field::parse(&arguments.field, &arguments.value, &context.directory)?;
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
