//! Following an iteration on the terminal: the transcript as it grows, Ctrl-C to stop, the result at the end.

use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use orchestra_api::Answered;
use orchestra_core::status::Outcome;
use orchestra_core::{Iteration, Progress, visible_line};
use orchestra_engine::{Control, Work};

use crate::Done;
use crate::context::Context;
use crate::error::{AGENT_FAILED, AWAITING_INPUT, CliError, SCRIPT_FAILED, STOPPED};
use crate::printer::DIM;
use crate::render::{summary, transcript};

const STEP: Duration = Duration::from_millis(200);
const LOOK_FOR_CRASH: Duration = Duration::from_secs(1);
const PAGE: u32 = 500;
const SCRIPT_LINES: usize = 30;

/// Shows an iteration until it is over. Closing the terminal leaves it running.
pub(crate) fn iteration(context: &Context, iteration: &Iteration) -> Done {
    let interrupts = Interrupts::listen()?;
    // Items of earlier iterations are not shown again.
    let position = context
        .engine
        .position_before(&iteration.session, iteration.number)?;
    let mut follower = Follower {
        context,
        iteration: iteration.clone(),
        position,
        asked: 0,
        was_queued: false,
    };
    let finished = follower.until_over(&interrupts)?;
    if context.printer.json {
        let session = finished.session.clone();
        context.printer.json_line(&Answered {
            session,
            iteration: (&finished).into(),
        });
    } else {
        show_failed_script(context, &finished)?;
        summary::iteration(context, &finished);
    }
    Ok(exit_code(&finished))
}

/// The end of what a failed script said: the reason is usually there.
fn show_failed_script(context: &Context, iteration: &Iteration) -> Result<(), CliError> {
    if iteration.script_passed != Some(false) {
        return Ok(());
    }
    let runs = context.engine.script_runs(&iteration.session)?;
    let Some(run) = runs
        .iter()
        .rfind(|run| run.iteration == Some(iteration.number))
    else {
        return Ok(());
    };
    context
        .printer
        .note(format!("\n{DIM}$ {}{DIM:#}", visible_line(&run.command)));
    for line in context.engine.script_output_tail(run, SCRIPT_LINES) {
        // Colours would only be in the way here.
        let line = visible_line(&anstream::adapter::strip_str(&line).to_string());
        context.printer.note(format!("{DIM}{line}{DIM:#}"));
    }
    Ok(())
}

struct Follower<'a> {
    context: &'a Context,
    iteration: Iteration,
    position: u64,
    asked: usize,
    was_queued: bool,
}

impl Follower<'_> {
    fn until_over(&mut self, interrupts: &Interrupts) -> Result<Iteration, CliError> {
        let engine = &self.context.engine;
        let mut looked = Instant::now();
        loop {
            let version = engine.data_version()?;
            let current = engine.iteration(&self.iteration.session, self.iteration.number)?;
            self.show_new()?;
            if current.progress.is_finished() {
                return Ok(current);
            }
            self.say_queued(&current);
            self.pass_on(interrupts)?;
            if looked.elapsed() > LOOK_FOR_CRASH {
                engine.recover_session(&self.iteration.session)?;
                looked = Instant::now();
            }
            engine.wait_for_change(version, STEP)?;
        }
    }

    fn show_new(&mut self) -> Result<(), CliError> {
        loop {
            let items = self.context.engine.transcript_after(
                &self.iteration.session,
                self.position,
                PAGE,
            )?;
            for item in &items {
                self.position = item.position;
                if self.context.printer.json {
                    self.context.printer.json_line(item);
                } else {
                    transcript::item(&self.context.printer, item);
                }
            }
            if items.len() < PAGE as usize {
                return Ok(());
            }
        }
    }

    fn say_queued(&mut self, current: &Iteration) {
        if current.progress == Progress::Queued && current.runner.is_some() && !self.was_queued {
            self.was_queued = true;
            let queue = self.context.engine.queue().unwrap_or_default();
            let iterations = queue
                .iter()
                .filter(|work| matches!(work, Work::Iteration(_)));
            if iterations.count()
                > self
                    .context
                    .engine
                    .settings()
                    .settings
                    .core
                    .max_concurrent_sessions as usize
            {
                self.context
                    .printer
                    .note("waiting for a free slot; `orchestra queue` shows who runs");
            }
        }
    }

    /// The first Ctrl-C asks the agent to stop, the second ends it at once.
    fn pass_on(&mut self, interrupts: &Interrupts) -> Result<(), CliError> {
        let count = interrupts.count();
        if count <= self.asked {
            return Ok(());
        }
        self.asked = count;
        let control = if count > 1 {
            Control::Kill
        } else {
            Control::Stop
        };
        self.context.printer.note(match control {
            Control::Stop => "stopping the agent; press Ctrl-C again to end it at once",
            Control::Kill => "ending the agent",
        });
        let work = Work::Iteration(Box::new(self.iteration.clone()));
        Ok(self.context.engine.stop_work(&work, control)?)
    }
}

/// How often Ctrl-C was pressed since the program began to listen.
pub(crate) struct Interrupts;

static PRESSED: AtomicUsize = AtomicUsize::new(0);
static LISTENING: OnceLock<bool> = OnceLock::new();

impl Interrupts {
    pub(crate) fn listen() -> Result<Self, CliError> {
        let listening = *LISTENING.get_or_init(|| {
            ctrlc::set_handler(|| {
                PRESSED.fetch_add(1, Ordering::Relaxed);
            })
            .is_ok()
        });
        if listening {
            return Ok(Self);
        }
        let source = std::io::Error::other("the signal handler is taken");
        Err(CliError::io("listen for Ctrl-C", &source))
    }

    pub(crate) fn count(&self) -> usize {
        PRESSED.load(Ordering::Relaxed)
    }
}

/// The exit code that tells a script how the iteration went.
pub(crate) fn exit_code(iteration: &Iteration) -> ExitCode {
    let Progress::Finished(outcome) = iteration.progress else {
        return ExitCode::SUCCESS;
    };
    match outcome {
        Outcome::Failed(_) | Outcome::Blocked(_) | Outcome::Interrupted => {
            ExitCode::from(AGENT_FAILED)
        }
        Outcome::Stopped => ExitCode::from(STOPPED),
        Outcome::AwaitingInput => ExitCode::from(AWAITING_INPUT),
        Outcome::Succeeded if iteration.script_passed == Some(false) => {
            ExitCode::from(SCRIPT_FAILED)
        }
        Outcome::Succeeded => ExitCode::SUCCESS,
    }
}
