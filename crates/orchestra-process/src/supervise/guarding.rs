//! The guardian as its runner knows it.

use std::process::Child;

use super::lost;
use crate::marker::Marker;
use crate::sweep::sweep_marked;
use crate::tree::Killed;
use crate::{children, detach};

/// Whose child the guardian is.
#[derive(Debug)]
pub(super) enum Guarding {
    /// Ours.
    Here(Child),
    /// Of a runner that was lost: somebody else collects it.
    Elsewhere,
}

impl Guarding {
    pub(super) fn pid(&self) -> Option<u32> {
        match self {
            Self::Here(child) => Some(child.id()),
            Self::Elsewhere => None,
        }
    }

    /// Kills one that is not there any more for all we know.
    pub(super) fn kill(&mut self) {
        if let Self::Here(child) = self
            && let Err(error) = child.kill()
        {
            tracing::debug!(%error, "the guardian has ended already");
        }
    }

    /// Collects one that has ended.
    pub(super) fn collect(&mut self) {
        if let Self::Here(child) = self
            && let Err(error) = children::wait(child)
        {
            tracing::warn!(%error, "cannot wait for a guardian");
        }
    }

    /// Ends what one left that was lost. Only the orphans of our own child come to us.
    pub(super) fn end_orphans(&self, marker: &Marker) -> Killed {
        match self {
            Self::Here(_) => lost::end_orphans(marker),
            Self::Elsewhere => {
                let swept = sweep_marked(marker);
                Killed {
                    killed: swept.killed,
                    survivors: swept.survivors,
                }
            }
        }
    }

    /// Collects one that is about to end.
    pub(super) fn collect_later(self) {
        if let Self::Here(child) = self {
            detach::reap_later(child);
        }
    }
}
