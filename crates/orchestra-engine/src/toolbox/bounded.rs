//! A program that is run under a guardian, for a time and for an amount of output.

use std::time::{Duration, Instant};

use orchestra_process::{
    CommandSpec, Ended, Guardian, Marker, OnLoss, ProcessError, ProcessEvent, ResourceLimits, Stop,
    supervise,
};

/// How long a program that was killed is waited for.
const AFTER_KILL: Duration = Duration::from_secs(10);

/// When a program is ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) time: Duration,
    /// Bytes of both streams together.
    pub(super) output: usize,
}

/// What became of a program.
#[derive(Debug)]
pub(super) struct Bounded {
    pub(super) ended: Option<Ended>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    /// Which bound it ran into.
    pub(super) hit: Option<Bound>,
}

/// What a program ran into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Time,
    Output,
}

/// Runs a program to its end, or to where a bound is.
pub(super) fn run(
    guardian: &Guardian,
    spec: &CommandSpec,
    resources: &ResourceLimits,
    marker: &Marker,
    bounds: Bounds,
) -> Result<Bounded, ProcessError> {
    let mut program = supervise(guardian, spec, resources, marker, OnLoss::End)?;
    let mut until = Instant::now() + bounds.time;
    let mut is_killed = false;
    let mut done = Bounded {
        ended: None,
        stdout: Vec::new(),
        stderr: Vec::new(),
        hit: None,
    };
    loop {
        let wait = until.saturating_duration_since(Instant::now());
        match program.next(wait) {
            Some(ProcessEvent::Stdout(chunk)) => done.keep(&chunk, bounds, false),
            Some(ProcessEvent::Stderr(chunk)) => done.keep(&chunk, bounds, true),
            Some(ProcessEvent::Exited(ended)) => {
                done.ended = Some(ended);
                return Ok(done);
            }
            None if is_killed => return Ok(done),
            None => done.hit = Some(Bound::Time),
        }
        // One that writes all the time is never waited for.
        if Instant::now() >= until {
            done.hit.get_or_insert(Bound::Time);
        }
        if done.hit.is_some() && !is_killed {
            is_killed = true;
            until = Instant::now() + AFTER_KILL;
            program.stop(Stop::Kill);
        }
    }
}

impl Bounded {
    fn keep(&mut self, chunk: &[u8], bounds: Bounds, is_error: bool) {
        let room = bounds
            .output
            .saturating_sub(self.stdout.len() + self.stderr.len());
        let kept = chunk.get(..room.min(chunk.len())).unwrap_or_default();
        match is_error {
            true => self.stderr.extend_from_slice(kept),
            false => self.stdout.extend_from_slice(kept),
        }
        if kept.len() < chunk.len() {
            self.hit.get_or_insert(Bound::Output);
        }
    }
}
