//! Slots: at most `max_concurrent_sessions` agents run at once on this machine; the rest wait in the order they came.
//!
//! A slot is a locked file, so the kernel gives it back when its runner dies.

use std::io;
use std::path::PathBuf;

use crate::lease::{Held, lock_file, plain_name};

/// The slots of this data directory.
#[derive(Debug, Clone)]
pub(crate) struct Slots {
    directory: PathBuf,
    count: usize,
}

impl Slots {
    pub(crate) fn new(directory: PathBuf, count: usize) -> Self {
        Self {
            directory,
            count: count.max(1),
        }
    }

    /// A free slot, if there is one.
    pub(crate) fn try_take(&self) -> io::Result<Option<Held>> {
        for number in 0..self.count {
            if let Some(slot) = lock_file(&self.directory.join(format!("{number}.slot")))? {
                return Ok(Some(slot));
            }
        }
        Ok(None)
    }

    /// The right to ask an agent's provider first after a pause; `None` while somebody else has it.
    pub(crate) fn try_first(&self, agent: &str) -> io::Result<Option<Held>> {
        let file = format!("agent-{}.first", plain_name(agent));
        lock_file(&self.directory.join(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_slots_as_allowed() {
        let directory = tempfile::tempdir().unwrap();
        let slots = Slots::new(directory.path().join("slots"), 2);
        let first = slots.try_take().unwrap().unwrap();
        let _second = slots.try_take().unwrap().unwrap();
        assert!(slots.try_take().unwrap().is_none());
        drop(first);
        assert!(slots.try_take().unwrap().is_some());
    }

    #[test]
    fn one_session_of_an_agent_goes_first() {
        let directory = tempfile::tempdir().unwrap();
        let slots = Slots::new(directory.path().join("slots"), 2);
        let first = slots.try_first("acp:one").unwrap().unwrap();
        assert!(slots.try_first("acp:one").unwrap().is_none());
        assert!(slots.try_first("acp_one").unwrap().is_some());
        drop(first);
        assert!(slots.try_first("acp:one").unwrap().is_some());
    }

    #[test]
    fn there_is_always_one() {
        let directory = tempfile::tempdir().unwrap();
        assert!(
            Slots::new(directory.path().to_owned(), 0)
                .try_take()
                .unwrap()
                .is_some()
        );
    }
}
