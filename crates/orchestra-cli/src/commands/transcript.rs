//! `transcript`: what the agent said and did.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use orchestra_core::{IterationNumber, SessionId};
use orchestra_engine::{OutputPiece, OutputPlace};

use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::transcript;
use orchestra_server::wire;

/// What the agent said and did
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcript login
  transcript login -f             goes on with what is said
  transcript login --iteration 2

With --json, one value per line: items, which have an `event`, and after those of an iteration
all that its agent wrote, line by line, each with its `stream`. Nothing is left out.")]
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
    let mut told = Told::new(context, id, arguments.iteration)?;
    loop {
        let version = context.engine.data_version()?;
        let now = context.engine.session(id)?;
        if told.tell_items()? {
            continue;
        }
        if !arguments.follow || !now.is_active() {
            told.tell_rest(now.iteration.map(|last| last.number))?;
            return Ok(ExitCode::SUCCESS);
        }
        told.tell_output()?;
        context.engine.recover_session(id)?;
        context
            .engine
            .wait_for_change(version, Duration::from_millis(250))?;
    }
}

/// What was told of a session.
struct Told<'a> {
    context: &'a Context,
    session: &'a SessionId,
    /// The only iteration that matters.
    only: Option<IterationNumber>,
    position: u64,
    output: OutputPlace,
}

impl<'a> Told<'a> {
    fn new(
        context: &'a Context,
        session: &'a SessionId,
        only: Option<u32>,
    ) -> Result<Self, CliError> {
        let only = only.map(IterationNumber);
        let position = match only {
            Some(number) => {
                context.engine.iteration(session, number)?;
                context.engine.position_before(session, number)?
            }
            None => 0,
        };
        Ok(Self {
            context,
            session,
            only,
            position,
            output: OutputPlace::start_of(only.unwrap_or(IterationNumber(1))),
        })
    }

    /// Tells the next items. False: there are none.
    fn tell_items(&mut self) -> Result<bool, CliError> {
        let engine = &self.context.engine;
        let items = engine.transcript_after(self.session, self.position, PAGE)?;
        for item in &items {
            self.position = item.position;
            if self.only.is_some_and(|number| number != item.iteration) {
                continue;
            }
            self.tell_output_before(item.iteration)?;
            match self.context.printer.json {
                true => self.context.printer.json_line(item),
                false => transcript::item(&self.context.printer, item),
            }
        }
        Ok(!items.is_empty())
    }

    /// Tells what is left of the output, also of iterations without items.
    fn tell_rest(&mut self, last: Option<IterationNumber>) -> Result<(), CliError> {
        if let Some(last) = self.only.or(last) {
            self.tell_output_before(last)?;
        }
        self.tell_output()
    }

    /// Tells what agents wrote in the iterations before one.
    fn tell_output_before(&mut self, iteration: IterationNumber) -> Result<(), CliError> {
        while self.output.iteration() < iteration {
            self.tell_output()?;
            let next = IterationNumber(self.output.iteration().0 + 1);
            self.output = OutputPlace::start_of(next);
        }
        Ok(())
    }

    /// Tells what the agent wrote since it was told last. People read what was understood of it.
    fn tell_output(&mut self) -> Result<(), CliError> {
        let Context {
            engine, printer, ..
        } = self.context;
        if !printer.json {
            return Ok(());
        }
        let iteration = self.output.iteration();
        let mut each = |piece: OutputPiece<'_>| printer.json_line(&wire::output(iteration, piece));
        Ok(engine.read_output(self.session, &mut self.output, &mut each)?)
    }
}
