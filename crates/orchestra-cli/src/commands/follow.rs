//! Following an iteration or a script on the terminal: the transcript and the script's output as they grow, Ctrl-C to stop, the result at the end.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use orchestra_core::status::Outcome;
use orchestra_core::{FailureCause, Iteration, Progress, ScriptRun, SessionStatus, visible_line};
use orchestra_engine::{Control, Work};

use super::queue;
use crate::Done;
use crate::context::Context;
use crate::error::{
    AGENT_FAILED, AWAITING_INPUT, CONFLICTS, CliError, FAILED, SCRIPT_FAILED, STOPPED,
};
use crate::printer::DIM;
use crate::render::script_log::ShownLog;
use crate::render::{summary, transcript};
use orchestra_server::wire;

const STEP: Duration = Duration::from_millis(200);
const SCRIPT_STEP: Duration = Duration::from_millis(50);
const LOOK_FOR_CRASH: Duration = Duration::from_secs(1);
const PAGE: u32 = 500;

/// Shows an iteration until it is over, or its agent waits for a permission. Closing the terminal leaves it running.
pub(crate) fn iteration(context: &Context, iteration: &Iteration) -> Done {
    // Items of earlier iterations are not shown again.
    let position = context
        .engine
        .position_before(&iteration.session, iteration.number)?;
    iteration_from(context, iteration, position)
}

/// The same from a position of the transcript on.
pub(crate) fn iteration_from(context: &Context, iteration: &Iteration, position: u64) -> Done {
    let interrupts = Interrupts::listen()?;
    let mut follower = Follower {
        context,
        iteration: iteration.clone(),
        position,
        script: None,
        asked: 0,
        was_queued: false,
    };
    let finished = follower.until_over(&interrupts)?;
    if context.printer.json {
        context
            .printer
            .json_line(&wire::iteration(&context.engine, &finished)?);
    } else {
        summary::iteration(context, &finished);
    }
    exit_code_now(context, &finished)
}

/// Looks at a script run whenever something changed, until there is an answer.
pub(crate) fn script_run<T>(
    context: &Context,
    run: &ScriptRun,
    mut look: impl FnMut(ScriptRun) -> Result<ControlFlow<T>, CliError>,
) -> Result<T, CliError> {
    let engine = &context.engine;
    loop {
        let version = engine.data_version()?;
        if let ControlFlow::Break(answer) = look(engine.script_run(run.key)?)? {
            return Ok(answer);
        }
        engine.recover_session(&run.session)?;
        engine.wait_for_change(version, SCRIPT_STEP)?;
    }
}

struct Follower<'a> {
    context: &'a Context,
    iteration: Iteration,
    position: u64,
    /// What the script says, once it has begun.
    script: Option<ShownLog>,
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
            self.show_script()?;
            let session = &self.iteration.session;
            if current.progress.is_finished() || engine.session(session)?.waits_while_running() {
                return Ok(current);
            }
            self.say_queued(&current);
            self.pass_on(interrupts, current.progress)?;
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
            if items.is_empty() {
                return Ok(());
            }
        }
    }

    fn show_script(&mut self) -> Result<(), CliError> {
        if self.script.is_none() {
            self.script = self.begun_script()?;
        }
        match &mut self.script {
            Some(log) => log.show_new(self.context),
            None => Ok(()),
        }
    }

    /// The iteration's script, announced, if it has begun.
    fn begun_script(&self) -> Result<Option<ShownLog>, CliError> {
        let runs = self.context.engine.script_runs(&self.iteration.session)?;
        let number = Some(self.iteration.number);
        let Some(run) = runs.iter().rfind(|run| run.iteration == number) else {
            return Ok(None);
        };
        let command = visible_line(&run.command);
        self.context
            .printer
            .note(format!("\n{DIM}$ {command}{DIM:#}"));
        Ok(Some(ShownLog::new(self.context, run)))
    }

    fn say_queued(&mut self, current: &Iteration) {
        if current.progress == Progress::Queued && current.runner.is_some() && !self.was_queued {
            self.was_queued = true;
            if queue::place_of(self.context, current).is_some() {
                self.context
                    .printer
                    .note("waiting for a free slot; `orchestra queue` shows who runs");
            }
        }
    }

    /// The first Ctrl-C asks what runs to stop, the second ends it at once.
    fn pass_on(&mut self, interrupts: &Interrupts, progress: Progress) -> Result<(), CliError> {
        let count = interrupts.count();
        if count <= self.asked {
            return Ok(());
        }
        self.asked = count;
        let what = match progress {
            Progress::Script => "script",
            Progress::Queued
            | Progress::Agent
            | Progress::Parked(_)
            | Progress::Commit
            | Progress::Finished(_) => "agent",
        };
        let control = interrupts.say(self.context, what);
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

    /// Stops a script run after Ctrl-C.
    pub(crate) fn stop_script(
        &self,
        context: &Context,
        run: &ScriptRun,
        what: &str,
    ) -> Result<(), CliError> {
        let control = self.say(context, what);
        let work = Work::Script(run.clone());
        Ok(context.engine.stop_work(&work, control)?)
    }

    /// Says what Ctrl-C does to what runs: the first one asks, the second does not.
    fn say(&self, context: &Context, what: &str) -> Control {
        if self.count() > 1 {
            context.printer.note(format!("ending the {what}"));
            return Control::Kill;
        }
        context.printer.note(format!(
            "stopping the {what}; press Ctrl-C again to end it at once"
        ));
        Control::Stop
    }
}

/// The exit code of an iteration that just ended: one that went well may have left conflicts.
pub(crate) fn exit_code_now(context: &Context, iteration: &Iteration) -> Done {
    let succeeded = iteration.progress == Progress::Finished(Outcome::Succeeded);
    let status = context.engine.session(&iteration.session)?.status;
    Ok(match status {
        SessionStatus::Conflicted if succeeded => ExitCode::from(CONFLICTS),
        SessionStatus::AwaitingInput => ExitCode::from(AWAITING_INPUT),
        _ => exit_code(iteration),
    })
}

/// The exit code that tells a script how the iteration went.
fn exit_code(iteration: &Iteration) -> ExitCode {
    let Progress::Finished(outcome) = iteration.progress else {
        return ExitCode::SUCCESS;
    };
    match outcome {
        // The agent may well have done its part.
        Outcome::Failed(FailureCause::Engine) => ExitCode::from(FAILED),
        Outcome::Failed(_) | Outcome::Blocked(_) | Outcome::Interrupted | Outcome::Settled(_) => {
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
