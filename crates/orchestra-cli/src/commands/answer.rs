//! `answer`: answer the agent's question.

use std::io::{IsTerminal, Read};

use clap::Args;
use orchestra_core::visible;

use super::iterate;
use crate::Done;
use crate::ask;
use crate::context::Context;
use crate::error::CliError;

/// Answer the agent's question
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  answer login \"Use the second option\"
  echo \"Use the second option\" | orchestra session answer login -")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// The answer, or `-` for stdin; asked for if absent, or read from stdin if that is no terminal
    #[arg(allow_hyphen_values = true)]
    text: Option<String>,
    /// Start it and return
    #[arg(long)]
    detach: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let text = match arguments.text.as_deref() {
        Some("-") => read()?,
        Some(text) => text.to_owned(),
        None if !std::io::stdin().is_terminal() => read()?,
        None => ask(
            context,
            view.iteration
                .as_ref()
                .and_then(|iteration| iteration.summary.as_deref()),
        )?,
    };
    let iteration = context.engine.answer(&view.session.id, &text)?;
    context.warn_secret("the answer", &text);
    iterate::started(context, &iteration, arguments.detach)
}

fn read() -> Result<String, CliError> {
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text);
    read.map_err(|source| CliError::io("read the answer", &source))?;
    if text.trim().is_empty() {
        return Err(CliError::usage(
            "there is no answer",
            "give it as the second argument, or on stdin",
        ));
    }
    Ok(text.trim().to_owned())
}

fn ask(context: &Context, question: Option<&str>) -> Result<String, CliError> {
    if !context.printer.can_ask() {
        return Err(CliError::usage(
            "there is no answer",
            "give it as the second argument",
        ));
    }
    context.printer.note(visible(
        question.unwrap_or("The agent waits for an answer."),
    ));
    context.printer.note("answer:");
    ask::line()
}
