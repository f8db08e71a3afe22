//! `answer`: answer the agent's question, or decide what it may do.

use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use clap::Args;
use orchestra_core::{Decision, PermissionQuestion, visible};
use orchestra_engine::{AfterDecision, Decide, Reach, SessionView};

use super::slash::{self, Heard};
use super::{follow, iterate};
use crate::Done;
use crate::ask;
use crate::context::Context;
use crate::error::CliError;
use crate::render::needs;
use orchestra_server::wire;

/// Answer the agent's question, or decide what it may do
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  answer login \"Use the second option\"
  answer login \"/diff\"                       a slash command first; the question stays open
  echo \"Use the second option\" | orchestra session answer login -
  answer login --allow                        it may do what it asked for, once
  answer login --allow --always               and the same again in this session
  answer login --reject \"Push nothing\"        it may not, and is told why
  answer login --question 2 --reject          one of several things it asked for")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// The answer or a slash command, or `-` for stdin; asked for if absent, or read from stdin if that is no terminal
    #[arg(allow_hyphen_values = true)]
    text: Option<String>,
    /// The agent may use the tool that it asked for
    #[arg(long, group = "decision")]
    allow: bool,
    /// The agent may not use the tool that it asked for
    #[arg(long, group = "decision")]
    reject: bool,
    /// With --allow or --reject: the same use again, too, as a rule of the session
    #[arg(long, requires = "decision")]
    always: bool,
    /// With --allow or --reject: one of several questions; without it, all of them
    #[arg(long, value_name = "NUMBER", requires = "decision")]
    question: Option<u32>,
    /// Start it and return
    #[arg(long)]
    detach: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    match (arguments.allow, arguments.reject) {
        (true, _) => decide(context, arguments, &view, Decision::Allow),
        (_, true) => decide(context, arguments, &view, Decision::Reject),
        (false, false) => answer(context, arguments, &view),
    }
}

fn answer(context: &Context, arguments: &Arguments, view: &SessionView) -> Done {
    // A slash command answers nothing, so nothing has to be asked for it.
    let text = match arguments.text.as_deref() {
        Some(text) if text != "-" => text.to_owned(),
        text => {
            context.engine.require_question(view)?;
            match text.is_some() || !std::io::stdin().is_terminal() {
                true => read()?,
                false => ask(context, question(view))?,
            }
        }
    };
    let text = match slash::hear(context, view, &text)? {
        Heard::Ran(code) => return Ok(code),
        Heard::Text(text) => text,
    };
    context.engine.require_question(view)?;
    let iteration = context.engine.answer(&view.session.id, &text)?;
    context.warn_secret("the answer", &text);
    iterate::started(context, &iteration, arguments.detach)
}

fn question(view: &SessionView) -> Option<&str> {
    let iteration = view.iteration.as_ref();
    iteration.and_then(|iteration| iteration.summary.as_deref())
}

fn decide(
    context: &Context,
    arguments: &Arguments,
    view: &SessionView,
    decision: Decision,
) -> Done {
    let id = &view.session.id;
    let words = match arguments.text.as_deref() {
        Some("-") => Some(read()?),
        text => text.map(str::to_owned),
    };
    // What was said before is known to whoever answers.
    let position = context.engine.last_position(id)?;
    let decided = context.engine.decide_permission(
        id,
        &Decide {
            decision,
            reach: Reach::always_if(arguments.always),
            question: arguments.question,
            words: words.clone(),
        },
    )?;
    if let Some(words) = &words {
        context.warn_secret("the answer", words);
    }
    match decided {
        AfterDecision::NextTurn(iteration) => {
            iterate::started(context, &iteration, arguments.detach)
        }
        AfterDecision::GoesOn(iteration) if arguments.detach => {
            iterate::started(context, &iteration, true)
        }
        AfterDecision::GoesOn(iteration) => follow::iteration_from(context, &iteration, position),
        AfterDecision::StillAsks(questions) => still_asks(context, view, &questions),
    }
}

fn still_asks(context: &Context, view: &SessionView, questions: &[PermissionQuestion]) -> Done {
    let id = &view.session.id;
    if context.printer.json {
        context.printer.json(&wire::answer(&context.engine, id)?);
    } else {
        let line = format!("{id} still {}", needs::wishes(id, questions));
        context.printer.line(line);
    }
    Ok(ExitCode::SUCCESS)
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
