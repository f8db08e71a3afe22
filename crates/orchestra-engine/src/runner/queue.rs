//! Waiting for a slot, in the order the iterations were asked for.

use std::time::Duration;

use orchestra_core::Progress;
use orchestra_store::ControlTarget;

use super::IterationRun;
use crate::EngineError;
use crate::lease::Held;

const LOOK: Duration = Duration::from_millis(100);

impl IterationRun<'_> {
    /// A slot, or `None` if the user stopped the iteration while it waited.
    pub(super) fn wait_for_slot(&self) -> Result<Option<Held>, EngineError> {
        let engine = self.engine;
        let mut version = engine.data_version()?;
        loop {
            if self.was_stopped()? {
                return Ok(None);
            }
            if self.is_first_in_queue()? {
                let slot = engine
                    .slots
                    .try_take()
                    .map_err(|source| EngineError::io("take a slot", source))?;
                if slot.is_some() {
                    return Ok(slot);
                }
            }
            version = engine.wait_for_change(version, LOOK)?;
        }
    }

    /// Whether nobody alive waits longer.
    fn is_first_in_queue(&self) -> Result<bool, EngineError> {
        let waiting = self
            .engine
            .store
            .read(|tx| Ok::<_, EngineError>(tx.unfinished_iterations()?))?;
        let first = waiting
            .into_iter()
            .filter(|iteration| {
                iteration.progress == Progress::Queued && iteration.runner.is_some()
            })
            .find(|iteration| {
                iteration.key == self.iteration.key
                    || self.engine.leases.has_runner(&iteration.session)
            });
        Ok(first.is_none_or(|first| first.key == self.iteration.key))
    }

    pub(super) fn was_stopped(&self) -> Result<bool, EngineError> {
        let target = ControlTarget::Iteration(self.iteration.key);
        self.engine
            .store
            .read(|tx| Ok(!tx.pending_controls(target)?.is_empty()))
    }
}
