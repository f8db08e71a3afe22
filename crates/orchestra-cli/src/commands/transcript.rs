//! `transcript`: what the agent said and did.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use orchestra_core::IterationNumber;

use crate::Done;
use crate::context::Context;
use crate::render::transcript;

/// What the agent said and did
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcript login
  transcript login -f             goes on with what is said
  transcript login --iteration 2

With --json: one item per line, nothing left out.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// Go on as long as something runs
    #[arg(long, short)]
    follow: bool,
    /// Only one iteration
    #[arg(long, value_name = "NUMBER")]
    iteration: Option<u32>,
}

const PAGE: u32 = 500;

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    let id = &view.session.id;
    let mut position = match arguments.iteration {
        Some(number) => {
            let iteration = context.engine.iteration(id, IterationNumber(number))?;
            context.engine.position_before(id, iteration.number)?
        }
        None => 0,
    };
    loop {
        let version = context.engine.data_version()?;
        let active = context.engine.session(id)?.is_active();
        let items = context.engine.transcript_after(id, position, PAGE)?;
        for item in &items {
            position = item.position;
            if arguments
                .iteration
                .is_some_and(|number| number != item.iteration.0)
            {
                continue;
            }
            if context.printer.json {
                context.printer.json_line(item);
            } else {
                transcript::item(&context.printer, item);
            }
        }
        if items.len() == PAGE as usize {
            continue;
        }
        if !arguments.follow || !active {
            return Ok(ExitCode::SUCCESS);
        }
        context.engine.recover_session(id)?;
        context
            .engine
            .wait_for_change(version, Duration::from_millis(250))?;
    }
}
