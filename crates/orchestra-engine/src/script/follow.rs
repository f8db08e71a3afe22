//! A script while it runs.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use orchestra_core::ScriptResult;
use orchestra_process::{Exit, ProcessEvent, Stop, Supervised};
use orchestra_store::{Control, ControlTarget};

use crate::Engine;
use crate::controls::ControlWatch;
use crate::output::{Line, OutputTap};
use crate::servers::Readiness;

/// How often orders and limits are looked at while the script is silent.
const LOOK: Duration = Duration::from_millis(50);
/// The same for a server that nobody waits for: it stays for hours.
const LOOK_AT_SERVER: Duration = Duration::from_millis(200);

/// Its output is kept, and it is ended when it is told to, takes too long or prints too much.
pub(super) struct FollowedScript<'a> {
    engine: &'a Engine,
    child: Supervised,
    stdout: OutputTap,
    stderr: OutputTap,
    controls: ControlWatch<'a>,
    started: Instant,
    pub(super) limit: Option<Duration>,
    /// What is watched for if it is a server.
    readiness: Option<Readiness<'a>>,
    /// Why we ended it, if we did.
    pub(super) ending: Option<ScriptResult>,
}

impl<'a> FollowedScript<'a> {
    pub(super) fn new(
        engine: &'a Engine,
        child: Supervised,
        [stdout, stderr]: [OutputTap; 2],
        target: ControlTarget,
        readiness: Option<Readiness<'a>>,
    ) -> Self {
        Self {
            engine,
            child,
            stdout,
            stderr,
            controls: ControlWatch::new(engine, target),
            started: Instant::now(),
            limit: None,
            readiness,
            ending: None,
        }
    }

    pub(super) fn until_over(mut self) -> ScriptResult {
        let exit = loop {
            let readiness = &mut self.readiness;
            let settled = readiness.as_ref().is_some_and(Readiness::is_settled);
            let mut hear = |line: Line<'_>| {
                readiness.iter_mut().for_each(|it| it.hear(&line));
                ControlFlow::Continue(())
            };
            let look = if settled { LOOK_AT_SERVER } else { LOOK };
            let written = match self.child.next(look) {
                Some(ProcessEvent::Stdout(chunk)) => self.stdout.push(&chunk, &mut hear),
                Some(ProcessEvent::Stderr(chunk)) => self.stderr.push(&chunk, &mut hear),
                Some(ProcessEvent::Exited(ended)) => break ended.exit,
                None => Ok(()),
            };
            warn_unwritten(written);
            self.look_after_server();
            self.end_if_due();
        };
        for tap in [&mut self.stdout, &mut self.stderr] {
            warn_unwritten(tap.finish(&mut ignored));
        }
        self.ending.unwrap_or(match exit {
            Exit::Code(code) => ScriptResult::Exited(code),
            Exit::Signal(signal) => ScriptResult::Signalled(signal),
        })
    }

    /// A server stays for as long as it is wanted, so it is its log that begins anew where a script would be ended.
    fn look_after_server(&mut self) {
        let Some(readiness) = &mut self.readiness else {
            return;
        };
        readiness.look();
        if self.received() > self.engine.config().core.max_output {
            for tap in [&mut self.stdout, &mut self.stderr] {
                warn_unwritten(tap.start_over());
            }
        }
    }

    fn received(&self) -> u64 {
        self.stdout.received() + self.stderr.received()
    }

    /// The first reason to end it counts; a request to end it at once is passed on even later.
    fn end_if_due(&mut self) {
        let request = self.controls.next();
        let is_first = self.ending.is_none();
        if is_first {
            self.ending = self.reason_to_end(request);
        }
        if request == Some(Control::Kill) {
            self.child.stop(Stop::Kill);
        } else if is_first && self.ending.is_some() {
            self.child.stop(self.engine.graceful_stop());
        }
    }

    fn reason_to_end(&self, request: Option<Control>) -> Option<ScriptResult> {
        if request.is_some() {
            Some(ScriptResult::Stopped)
        } else if self
            .limit
            .is_some_and(|limit| self.started.elapsed() > limit)
        {
            Some(ScriptResult::TimedOut)
        } else if self.received() > self.engine.config().core.max_output {
            Some(ScriptResult::OutputLimit)
        } else {
            None
        }
    }
}

/// Nobody but the file takes a script's lines.
fn ignored(_line: Line<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn warn_unwritten(written: std::io::Result<()>) {
    if let Err(error) = written {
        tracing::error!(%error, "cannot write the script's log");
    }
}
