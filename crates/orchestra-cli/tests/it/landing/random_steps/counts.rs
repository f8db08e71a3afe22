//! How much was tried, so that a run that does nothing is noticed.

use std::collections::BTreeMap;
use std::fmt;

/// Kinds of operations that can be undone.
const UNDOABLE: &[&str] = &[
    "commit", "squash", "rebase", "resolve", "merge", "discard", "cleanup",
];

#[derive(Debug, Default)]
pub(super) struct Counts {
    by_kind: BTreeMap<String, Tried>,
    /// Files that had to be found again, and commits.
    pub(super) trees: usize,
    pub(super) commits: usize,
}

#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Tried {
    pub(super) done: u32,
    pub(super) undone: u32,
    pub(super) undone_compared: u32,
    pub(super) redone: u32,
    pub(super) redone_compared: u32,
}

impl Counts {
    pub(super) fn of(&mut self, kind: &str) -> &mut Tried {
        self.by_kind.entry(kind.to_owned()).or_default()
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (kind, tried) in &other.by_kind {
            let sum = self.of(kind);
            sum.done += tried.done;
            sum.undone += tried.undone;
            sum.undone_compared += tried.undone_compared;
            sum.redone += tried.redone;
            sum.redone_compared += tried.redone_compared;
        }
        self.trees += other.trees;
        self.commits += other.commits;
    }

    /// Every kind of operation was done and taken back, and much of it was compared with what had been there.
    pub(super) fn require_enough(&mut self) {
        for kind in UNDOABLE {
            let Tried { done, undone, .. } = *self.of(kind);
            assert!(done > 0, "{kind} was never done: {self}");
            assert!(undone > 0, "{kind} was never undone: {self}");
        }
        let pushes = self.of("push").done;
        assert!(pushes >= 1, "nothing was pushed: {self}");
        let sum = |of: fn(&Tried) -> u32| self.by_kind.values().map(of).sum::<u32>();
        let (undone, redone) = (sum(|it| it.undone_compared), sum(|it| it.redone_compared));
        assert!(undone >= 15, "{undone} undoings were compared: {self}");
        assert!(redone >= 5, "{redone} redoings were compared: {self}");
        assert!(self.trees >= 40 && self.commits >= 40, "{self}");
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, tried) in &self.by_kind {
            write!(
                formatter,
                "{kind} {} (undone {}, compared {}; redone {}, compared {}), ",
                tried.done,
                tried.undone,
                tried.undone_compared,
                tried.redone,
                tried.redone_compared
            )?;
        }
        write!(formatter, "files {}, commits {}", self.trees, self.commits)
    }
}
