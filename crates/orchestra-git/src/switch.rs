//! The files and the index of a checkout go from one commit to another, and whatever else is in them stays.
//!
//! git itself would write over ignored files, and stops half-way when a file cannot be written. So what is in the way is looked
//! at first, and what was half done is taken back.

#[cfg(target_os = "linux")]
mod direct;
mod disk;
mod error;
mod hidden;
mod settle;
#[cfg(target_os = "linux")]
mod suspects;
mod touched;

use std::collections::BTreeSet;
use std::path::PathBuf;

use orchestra_core::CommitId;

pub use error::SwitchError;
pub(crate) use touched::Touched;

use crate::error::GitError;
use crate::files::Place;
use crate::head::Head;
use crate::shadow::Shadow;
use crate::status::Status;
use crate::worktree::Worktree;

/// With more paths git is asked about all of them: a command line has an end.
const MOST_ASKED: usize = 100;

impl Worktree {
    /// Takes the files from one commit to another; all of them or, after a failure, none.
    pub(crate) fn switch_files(&self, from: &CommitId, to: &CommitId) -> Result<(), SwitchError> {
        #[cfg(target_os = "linux")]
        if direct::is_switched(self, from, to) {
            return Ok(());
        }
        self.switch_files_through(&Shadow::of_worktree(self, from)?, from, to)
    }

    /// The same through a shadow that may have an index of its own, which then is the one that changes.
    pub(crate) fn switch_files_through(
        &self,
        shadow: &Shadow,
        from: &CommitId,
        to: &CommitId,
    ) -> Result<(), SwitchError> {
        let touched = self.repository().touched(from.as_str(), to.as_str())?;
        if touched.is_empty() {
            return Ok(());
        }
        self.require_untouched(from, &touched)?;
        let trees = [from.as_str(), to.as_str()];
        let Err(failure) = self.merge_trees(shadow, trees) else {
            return Ok(());
        };
        let settled = self.settle_files(to, from);
        // Somebody may have changed a file after it was looked at, and git refused because of that.
        let refused = self.require_untouched(from, &touched).err();
        let cause = refused.unwrap_or_else(|| self.hidden_or(failure, &touched, shadow));
        Err(match settled {
            Ok(()) => cause,
            Err(undo) => cause.left_behind(undo),
        })
    }

    /// Nothing that differs from `head` is in the paths that would change, and nothing is in the way of new ones.
    pub(crate) fn require_untouched(
        &self,
        head: &CommitId,
        touched: &[Touched],
    ) -> Result<(), SwitchError> {
        if touched.is_empty() {
            return Ok(());
        }
        let dirty = self.dirty_among(head, touched)?;
        if !dirty.is_empty() {
            return Err(SwitchError::Dirty(dirty));
        }
        self.require_room(touched)
    }

    /// Only what is not certainly clean is asked about.
    fn dirty_among(&self, head: &CommitId, touched: &[Touched]) -> Result<Vec<PathBuf>, GitError> {
        let suspects = self.suspects(touched);
        if suspects.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let paths = suspects.filter(|paths| paths.len() <= MOST_ASKED);
        let shadow = Shadow::of_worktree(self, head)?;
        let records = self.tracked_records(&shadow, &paths.unwrap_or_default())?;
        let status = records.with_head(Head::Detached(head.clone()));
        Ok(dirty_paths(&status, touched))
    }

    #[cfg(target_os = "linux")]
    fn suspects(&self, touched: &[Touched]) -> Option<Vec<PathBuf>> {
        suspects::suspects(self, touched)
    }

    #[cfg(not(target_os = "linux"))]
    fn suspects(&self, _touched: &[Touched]) -> Option<Vec<PathBuf>> {
        None
    }

    /// Nothing that git does not track is in the way of new files.
    pub(crate) fn require_room(&self, touched: &[Touched]) -> Result<(), SwitchError> {
        self.require_room_after(touched, BTreeSet::new())
    }

    /// The same where other files leave as well.
    pub(crate) fn require_room_after(
        &self,
        touched: &[Touched],
        mut leaving: BTreeSet<PathBuf>,
    ) -> Result<(), SwitchError> {
        let before = touched.iter().filter(|one| one.before.is_some());
        leaving.extend(before.map(|one| one.path.clone()));
        match self.in_the_way(touched, &leaving)? {
            paths if paths.is_empty() => Ok(()),
            paths => Err(SwitchError::InTheWay(paths)),
        }
    }

    fn in_the_way(
        &self,
        touched: &[Touched],
        leaving: &BTreeSet<PathBuf>,
    ) -> Result<Vec<PathBuf>, GitError> {
        let mut found = BTreeSet::new();
        for one in touched.iter().filter(|one| one.is_new_file()) {
            let place = Place::new(self.path(), &one.path);
            if !place.is_free()? {
                found.insert(one.path.clone());
            }
            found.extend(place.obstacle(leaving)?);
        }
        Ok(found.into_iter().collect())
    }

    /// git's own two-way merge: what differs between the trees is written, the rest of the index and of the files stays.
    fn merge_trees(&self, shadow: &Shadow, trees: [&str; 2]) -> Result<(), GitError> {
        let git = self.repository().git();
        let call = shadow.call("read-tree").args(["-m", "-u"]).args(trees);
        let answer = git.run(&call)?;
        if answer.is_success() {
            return Ok(());
        }
        // A file that was written again with the same content is changed to this command, until it is looked into.
        git.run(&shadow.call("update-index").args(["-q", "--refresh"]))?;
        match git.run(&call)?.is_success() {
            true => Ok(()),
            false => Err(answer.failure()),
        }
    }
}

/// Uncommitted changes in touched paths. git cannot work on an index with conflicts at all.
fn dirty_paths(status: &Status, touched: &[Touched]) -> Vec<PathBuf> {
    let touched: BTreeSet<_> = touched.iter().map(|one| &one.path).collect();
    let changes = status.staged.iter().chain(&status.unstaged);
    let changed = changes.flat_map(|change| [Some(&change.path), change.original.as_ref()]);
    let dirty = changed.flatten().filter(|path| touched.contains(path));
    let dirty: BTreeSet<_> = dirty.chain(&status.conflicted).collect();
    dirty.into_iter().cloned().collect()
}
