//! Bringing back what was kept. Everything is looked at before the first file is changed, and only paths that have to differ
//! are touched.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;

use super::entries::Entries;
use super::{INDEX, Snapshot, SnapshotError};
use crate::byte_path::nul_list;
use crate::disk;
use crate::error::{AtPath, GitError};
use crate::files::{self, Place};
use crate::index_lock::IndexLock;
use crate::shadow::{Shadow, shared_indexes};
use crate::worktree::Worktree;

impl Worktree {
    /// Brings back the state before an operation: files, what is staged, what is not, `HEAD`, the branch, and what git was in
    /// the middle of. What was changed since in files that the operation left alone stays. `now` is a snapshot of the present state that was just
    /// taken: [`Self::put_back`] returns to it if this is cut off. `after_file` is called after each file.
    ///
    /// # Errors
    /// If commits were made since, something else is staged, or changes since would be overwritten; nothing is changed then.
    pub fn restore_snapshot(
        &self,
        target: &Snapshot,
        now: &Snapshot,
        after_file: &dyn Fn(),
    ) -> Result<(), SnapshotError> {
        self.remove_unfinished(target)?;
        let (left, present) = (target.left()?, self.left_now(now)?);
        if (&left.head, &left.branch) != (&present.head, &present.branch) {
            return Err(SnapshotError::HeadMoved {
                kept_on: target.commit()?,
                patch: target.patch(),
            });
        }
        if left.index != present.index {
            let staged = self.staged_paths(&now.commit()?)?;
            return Err(SnapshotError::StagedInTheWay(staged));
        }
        let changed_since: BTreeSet<PathBuf> = present
            .files
            .iter()
            .filter(|(path, mark)| left.files.get(*path) != Some(*mark))
            .map(|(path, _)| path.clone())
            .collect();
        let mut plan = Plan::new(self, target, Some(now))?;
        plan.untouched = target.untouched(&left)?;
        let touched = plan.touched(&left.files.into_keys().collect());
        self.require_free(&plan, &touched, &changed_since, now)?;
        self.put(&plan, &touched, after_file)
    }

    /// Returns to a snapshot after bringing another one back, or the operation that it was taken for, was cut off. Every file
    /// that is touched must be as one of the two has it, or absent.
    ///
    /// # Errors
    /// If somebody changed such a file since; nothing is changed then.
    pub fn put_back(
        &self,
        target: &Snapshot,
        other: Option<&Snapshot>,
        after_file: &dyn Fn(),
    ) -> Result<(), SnapshotError> {
        for snapshot in [Some(target), other].into_iter().flatten() {
            self.remove_unfinished(snapshot)?;
        }
        let mut plan = Plan::new(self, target, other)?;
        plan.include_head()?;
        let touched = plan.touched(&match other {
            Some(other) => other.paths()?,
            None => BTreeSet::new(),
        });
        let foreign = plan.foreign(&touched)?;
        if !foreign.is_empty() {
            return Err(SnapshotError::InTheWay(foreign));
        }
        self.put(&plan, &touched, after_file)
    }

    /// Replaces the index by the one that was kept.
    ///
    /// # Errors
    /// If it cannot be read, or git works on the index.
    pub fn restore_index(&self, target: &Snapshot) -> Result<(), SnapshotError> {
        self.repository().restore_commits(target)?;
        Ok(self.replace_index(target)?)
    }

    /// Whether the index is still as the operation left it that a snapshot was taken for.
    ///
    /// # Errors
    /// If it cannot be told.
    pub fn is_index_as_left(&self, target: &Snapshot) -> Result<bool, SnapshotError> {
        Ok(target.left()?.index == self.index_mark()?)
    }

    /// Whether the index still is the one that was kept.
    ///
    /// # Errors
    /// If it cannot be told.
    pub fn is_index_as_kept(&self, target: &Snapshot) -> Result<bool, SnapshotError> {
        let commit = target.commit()?;
        let kept = self.index_entries_in(target.folder(), &commit)?;
        Ok(self.index_entries(&commit)? == kept)
    }

    /// Puts one file back as it was kept, whatever is there now. The index stays.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn restore_file(&self, target: &Snapshot, path: &Path) -> Result<(), SnapshotError> {
        let place = Place::new(self.path(), path);
        place.remove()?;
        let unfinished = self.path().join(target.unfinished_name());
        Place::new(&target.files(), path).copy_to(place, &unfinished)?;
        Ok(())
    }

    /// What is staged on top of a commit.
    ///
    /// # Errors
    /// If git fails.
    pub fn staged_paths(&self, commit: &CommitId) -> Result<Vec<PathBuf>, SnapshotError> {
        let committed = self.committed_entries(commit)?;
        Ok(self.index_entries(commit)?.unlike(&[&committed]))
    }

    fn require_free(
        &self,
        plan: &Plan<'_>,
        touched: &BTreeSet<PathBuf>,
        changed_since: &BTreeSet<PathBuf>,
        now: &Snapshot,
    ) -> Result<(), SnapshotError> {
        let mut in_the_way: BTreeSet<PathBuf> =
            touched.intersection(changed_since).cloned().collect();
        let known = now.paths()?;
        let leaving: BTreeSet<PathBuf> = touched.difference(changed_since).cloned().collect();
        for path in touched {
            let place = Place::new(self.path(), path);
            let is_hidden = !known.contains(path) && !plan.is_here(path) && !place.is_free()?;
            if is_hidden {
                // git ignores it, so it is in no snapshot.
                in_the_way.insert(path.clone());
            }
            if plan.has_file(path)? {
                in_the_way.extend(place.obstacle(&leaving)?);
            }
        }
        if in_the_way.is_empty() {
            return Ok(());
        }
        Err(SnapshotError::InTheWay(in_the_way.into_iter().collect()))
    }

    /// The steps, each of which does no harm when it is done again.
    fn put(
        &self,
        plan: &Plan<'_>,
        touched: &BTreeSet<PathBuf>,
        after_file: &dyn Fn(),
    ) -> Result<(), SnapshotError> {
        for path in touched {
            Place::new(self.path(), path).remove()?;
        }
        self.check_out(&plan.commit, &plan.committed_of(touched))?;
        after_file();
        let (files, unfinished) = (
            plan.target.files(),
            self.path().join(plan.target.unfinished_name()),
        );
        for path in plan.kept.difference(&plan.untouched) {
            Place::new(&files, path).copy_to(Place::new(self.path(), path), &unfinished)?;
            after_file();
        }
        self.restore_references(plan.target)?;
        after_file();
        self.restore_state(plan.target)?;
        after_file();
        Ok(self.replace_index(plan.target)?)
    }

    /// Writes some files of a commit, without the index.
    fn check_out(&self, commit: &CommitId, paths: &BTreeSet<PathBuf>) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        let git = self.repository().git();
        let shadow = Shadow::of_worktree(self, commit)?.with_empty_index();
        git.run(&shadow.call("read-tree").arg(commit.as_str()))?
            .require_success()?;
        let call = shadow
            .call("checkout-index")
            .args(["--force", "-z", "--stdin"]);
        git.run(&call.stdin(nul_list(paths)))?.require_success()?;
        Ok(())
    }

    fn replace_index(&self, target: &Snapshot) -> Result<(), GitError> {
        let lock = IndexLock::take(self)?;
        for shared in shared_indexes(target.folder())? {
            let name = shared.file_name().unwrap_or_default();
            disk::copy_index(&shared, &self.admin_dir().join(name))?;
        }
        lock.fill(&target.folder().join(INDEX))?;
        lock.replace(&self.index_path())
    }

    fn remove_unfinished(&self, snapshot: &Snapshot) -> Result<(), GitError> {
        files::remove_if_present(&self.path().join(snapshot.unfinished_name()))
    }
}

/// The way from the present state, or from a mixture, to a snapshot.
struct Plan<'a> {
    worktree: &'a Worktree,
    target: &'a Snapshot,
    /// What the target has checked out.
    commit: CommitId,
    committed: Entries,
    /// Paths that had something uncommitted.
    kept: BTreeSet<PathBuf>,
    /// Those of them that the operation left alone, which is undone: whatever they are now, they stay.
    untouched: BTreeSet<PathBuf>,
    /// What is checked out now, or was meant to be: the files may be a mixture of these.
    here: Vec<Entries>,
    other: Option<&'a Snapshot>,
}

impl<'a> Plan<'a> {
    fn new(
        worktree: &'a Worktree,
        target: &'a Snapshot,
        other: Option<&'a Snapshot>,
    ) -> Result<Self, SnapshotError> {
        // What cannot be read is found out before anything changes.
        let (commit, _, _) = (target.commit()?, target.head()?, target.branch()?);
        worktree.repository().restore_commits(target)?;
        let mut here = Vec::new();
        if let Some(other) = other {
            here.push(worktree.committed_entries(&other.commit()?)?);
        }
        Ok(Self {
            worktree,
            target,
            kept: target.paths()?,
            untouched: BTreeSet::new(),
            committed: worktree.committed_entries(&commit)?,
            commit,
            here,
            other,
        })
    }

    /// An operation that was cut off may have checked out a commit of its own.
    fn include_head(&mut self) -> Result<(), SnapshotError> {
        if let Some(commit) = self.worktree.head()?.commit() {
            self.here.push(self.worktree.committed_entries(commit)?);
        }
        Ok(())
    }

    /// Paths that are or may be different in the target. Links to other repositories are never touched.
    fn touched(&self, also: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let mut paths: BTreeSet<PathBuf> = self.kept.union(also).cloned().collect();
        for here in &self.here {
            paths.extend(self.committed.unlike(&[here]));
        }
        let is_link = |path: &Path| self.here.iter().any(|here| here.is_link(path));
        paths.retain(|path| {
            !self.committed.is_link(path) && !is_link(path) && !self.untouched.contains(path)
        });
        paths
    }

    fn is_here(&self, path: &Path) -> bool {
        self.here.iter().any(|here| here.has(path))
    }

    /// Paths whose content is that of the commit.
    fn committed_of(&self, touched: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let paths = touched.difference(&self.kept);
        paths
            .filter(|path| self.committed.has(path))
            .cloned()
            .collect()
    }

    fn has_file(&self, path: &Path) -> Result<bool, GitError> {
        if self.kept.contains(path) {
            return Ok(!Place::new(&self.target.files(), path).is_free()?);
        }
        Ok(self.committed.has(path))
    }

    /// Files that are neither as one of the snapshots has them nor as one of the commits has them.
    fn foreign(&self, touched: &BTreeSet<PathBuf>) -> Result<Vec<PathBuf>, SnapshotError> {
        let mut unknown = Vec::new();
        for path in touched {
            let place = Place::new(self.worktree.path(), path);
            if place.is_free()? || place.is_same_as(Place::new(&self.target.files(), path))? {
                continue;
            }
            let is_others = match &self.other {
                Some(other) => place.is_same_as(Place::new(&other.files(), path))?,
                None => false,
            };
            if !is_others {
                unknown.push(path.clone());
            }
        }
        let objects = self.worktree.objects_of_files(&self.commit, &unknown)?;
        let is_foreign = |(path, object): &(PathBuf, String)| {
            let mut commits = self.here.iter().chain([&self.committed]);
            !commits.any(|entries| entries.has_object(path, object))
        };
        let foreign = unknown.into_iter().zip(objects).filter(is_foreign);
        Ok(foreign.map(|(path, _)| path).collect())
    }
}

impl Worktree {
    /// The ids that files would be stored under.
    fn objects_of_files(
        &self,
        commit: &CommitId,
        paths: &[PathBuf],
    ) -> Result<Vec<String>, GitError> {
        let mut objects = Vec::new();
        for path in paths {
            objects.push(self.object_of_file(commit, path)?);
        }
        Ok(objects)
    }

    fn object_of_file(&self, commit: &CommitId, path: &Path) -> Result<String, GitError> {
        let shadow = Shadow::of_worktree(self, commit)?;
        let call = shadow.call("hash-object");
        let full = self.path().join(path);
        if full.is_symlink() {
            let target = fs::read_link(&full).at(&full)?;
            let bytes = crate::byte_path::to_bytes(&target);
            return self
                .repository()
                .git()
                .line(&call.arg("--stdin").stdin(bytes));
        }
        self.repository().git().line(&call.arg("--").arg(path))
    }
}
