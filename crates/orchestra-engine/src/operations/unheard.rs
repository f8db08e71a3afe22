//! An operation that was cut off may have taken place all the same, and whoever asked for it never heard of it. The same command
//! again tells it, once, instead of a refusal or a second step.

use orchestra_core::{Operation, SessionId};

use crate::{Engine, EngineError};

impl Engine {
    /// The newest operation of a session, if it is wanted and nobody has heard of its end. From now on somebody has.
    pub(crate) fn hear_of(
        &self,
        id: &SessionId,
        is_wanted: impl FnOnce(&Operation) -> bool,
    ) -> Result<Option<Operation>, EngineError> {
        let unheard = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.unheard_operation(id)?))?;
        let Some(operation) = unheard.filter(is_wanted) else {
            return Ok(None);
        };
        self.write(|tx| Ok(tx.set_operation_unheard(operation.key, false)?))?;
        Ok(Some(operation))
    }

    /// A refusal because nothing is left to do is none after the same was cut off and finished.
    pub(crate) fn or_finished<T>(
        &self,
        id: &SessionId,
        done: Result<T, EngineError>,
        says_nothing_is_left: impl FnOnce(&EngineError) -> bool,
        is_same: impl FnOnce(&Operation) -> bool,
    ) -> Result<T, EngineError> {
        match done {
            Err(error) if says_nothing_is_left(&error) => {
                self.require_unfinished(id, is_same)?;
                Err(error)
            }
            done => done,
        }
    }

    /// What must not be done a second time is told to be finished instead.
    pub(crate) fn require_unfinished(
        &self,
        id: &SessionId,
        is_same: impl FnOnce(&Operation) -> bool,
    ) -> Result<(), EngineError> {
        match self.hear_of(id, is_same)? {
            Some(operation) => Err(EngineError::FinishedBefore {
                operation: Box::new(operation),
            }),
            None => Ok(()),
        }
    }
}
