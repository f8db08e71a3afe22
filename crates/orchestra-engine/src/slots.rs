//! Slots: at most `max_concurrent_sessions` agents run at once on this machine; the rest wait in the order they came.
//!
//! A slot is a locked file, so the kernel gives it back when its runner dies.

use std::io;
use std::path::PathBuf;

use crate::lease::{Held, lock_file};

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
