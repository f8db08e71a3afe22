//! Ids that were met before, without keeping the ids.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What belongs together stands close together, so what was met long ago may be forgotten.
const MOST: usize = 4_096;

/// What was met, as many as are worth remembering.
#[derive(Debug, Default)]
pub(crate) struct Seen(BTreeSet<u64>);

impl Seen {
    /// Remembers an id; false if it was known.
    pub(crate) fn add(&mut self, id: &str) -> bool {
        let mark = mark(id);
        if self.0.len() >= MOST && !self.0.contains(&mark) {
            self.0.clear();
        }
        self.0.insert(mark)
    }

    /// Forgets an id; false if it was not known.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        self.0.remove(&mark(id))
    }
}

fn mark(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_are_remembered() {
        let mut seen = Seen::default();
        assert!(seen.add("a") && !seen.add("a"));
        assert!(seen.remove("a") && !seen.remove("a"));
        for number in 0..2 * MOST {
            assert!(seen.add(&number.to_string()));
        }
        assert!(!seen.add(&(2 * MOST - 1).to_string()) && seen.0.len() <= MOST);
    }
}
