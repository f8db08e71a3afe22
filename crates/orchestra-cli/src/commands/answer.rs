//! `answer`: answer the agent's question.

use clap::Args;
use orchestra_core::visible;

use super::iterate;
use crate::Done;
use crate::context::Context;
use crate::error::CliError;

/// Answer the agent's question
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  answer login \"Use the second option\"")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// The answer; asked for if absent
    #[arg(allow_hyphen_values = true)]
    text: Option<String>,
    /// Start it and return
    #[arg(long)]
    detach: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let text = match &arguments.text {
        Some(text) => text.clone(),
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
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .map_err(|source| CliError::io("read the answer", &source))?;
    Ok(line.trim().to_owned())
}
