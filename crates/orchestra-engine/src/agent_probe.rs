//! Asking an agent's program about itself, such as `amp --version`. It runs under a guardian, so that nothing of it stays when
//! whoever asks is ended meanwhile.

use std::time::{Duration, Instant};

use orchestra_process::{
    CommandSpec, Ended, Marker, OnLoss, ProcessEvent, ResourceLimits, Stop, Supervised, supervise,
};

use crate::engine::random_hex;
use crate::{Engine, EngineError};

/// For work: Amp needs several seconds to start, and up to twenty on a loaded machine.
pub(crate) const BEFORE_WORK: Duration = Duration::from_secs(30);
/// For somebody who only looks.
pub(crate) const AT_A_LOOK: Duration = Duration::from_secs(5);

/// More than this is no answer.
const MOST_OUTPUT: usize = 4 * 1024 * 1024;
const LOOK: Duration = Duration::from_millis(50);

impl Engine {
    /// What a program prints; `None` if it fails to answer within the limit.
    pub(crate) fn ask_program(&self, spec: &CommandSpec, limit: Duration) -> Option<String> {
        let answer = self.answer_of(spec, limit);
        match answer {
            Ok((ended, text)) if ended.exit.is_success() => Some(text),
            Ok((ended, _)) => {
                tracing::warn!(exit = %ended.exit, args = ?spec.args, "the agent did not answer");
                None
            }
            Err(error) => {
                tracing::warn!(%error, args = ?spec.args, "the agent did not answer");
                None
            }
        }
    }

    fn answer_of(
        &self,
        spec: &CommandSpec,
        limit: Duration,
    ) -> Result<(Ended, String), EngineError> {
        let epoch = self.store.epoch()?;
        let marker = Marker::new(
            orchestra_config::variables::ORCHESTRA_RUN,
            format!("{epoch}:probe:{}", random_hex()?),
        );
        let limits = ResourceLimits::default();
        let program = supervise(&self.guardian(), spec, &limits, &marker, OnLoss::End)?;
        let (ended, output) = collect(program, Instant::now() + limit);
        Ok((ended, String::from_utf8_lossy(&output).into_owned()))
    }
}

/// All that it prints until it ends, or is ended because it takes too long or says too much.
fn collect(mut program: Supervised, deadline: Instant) -> (Ended, Vec<u8>) {
    let mut output = Vec::new();
    let mut is_ending = false;
    loop {
        match program.next(LOOK) {
            Some(ProcessEvent::Stdout(chunk)) if output.len() < MOST_OUTPUT => output.extend(chunk),
            Some(ProcessEvent::Exited(ended)) => return (ended, output),
            Some(ProcessEvent::Stdout(_) | ProcessEvent::Stderr(_)) | None => {}
        }
        let is_too_much = output.len() >= MOST_OUTPUT;
        if !is_ending && (is_too_much || Instant::now() > deadline) {
            is_ending = true;
            program.stop(Stop::Kill);
        }
    }
}
