//! Directories that can be made again.

use orchestra_api::RegenerableRow;
use orchestra_engine::{Engine, EngineError, Regenerable, RegenerableListing};

/// What became of directories that can be made again.
#[derive(Debug)]
pub struct Offer {
    /// Those that were removed.
    pub removed: RegenerableListing,
    /// Those that stay.
    pub left: RegenerableListing,
}

impl Offer {
    /// What is there, and nothing done to it.
    pub(super) fn find(engine: &Engine) -> Result<Self, EngineError> {
        Ok(Self {
            removed: RegenerableListing::default(),
            left: engine.regenerable()?,
        })
    }

    pub(super) fn remove(self, engine: &Engine) -> Self {
        let mut left = self.left;
        let wanted = std::mem::take(&mut left.directories);
        let removed = engine.remove_regenerable(wanted.clone());
        let is_left = |it: &Regenerable| {
            let is_it = |gone: &Regenerable| gone.session == it.session && gone.path == it.path;
            !removed.directories.iter().any(is_it)
        };
        left.directories = wanted.into_iter().filter(is_left).collect();
        Self { removed, left }
    }

    pub(super) fn problems(&self) -> impl Iterator<Item = &String> {
        self.left.problems.iter().chain(&self.removed.problems)
    }

    /// Sessions that keep theirs because somebody works there, and who.
    pub fn skipped(&self) -> impl Iterator<Item = &String> {
        self.left.skipped.iter().chain(&self.removed.skipped)
    }

    pub(super) fn rows(&self) -> Vec<RegenerableRow> {
        let removed = self.removed.directories.iter().map(|it| row(it, true));
        let left = self.left.directories.iter().map(|it| row(it, false));
        removed.chain(left).collect()
    }
}

fn row(it: &Regenerable, removed: bool) -> RegenerableRow {
    RegenerableRow {
        session_id: it.session.clone(),
        session_name: it.name.to_string(),
        path: it.worktree.join(&it.path),
        own_bytes: it.space.own_bytes,
        shared_bytes: it.space.shared_bytes,
        is_sharing_known: it.space.is_sharing_known,
        removed,
    }
}
