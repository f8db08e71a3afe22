//! Snapshots: what keeps work before something risky. All of a worktree that a commit does not hold, in a folder of its own
//! outside of the repository: the files as they are on disk, the index as it is, git's notes about an operation it is in the
//! middle of, and the objects that nothing else may keep alive. A patch of the changes is beside them, for people.

mod entries;
mod error;
mod left;
mod objects;
#[cfg(target_os = "linux")]
mod pack;
mod restore;
mod state;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::{BranchName, CommitId};

pub use error::SnapshotError;

use crate::byte_path::{from_bytes, nul_list, to_bytes};
use crate::diff::{DiffFormat, DiffRequest, DiffScope};
use crate::disk;
use crate::error::{AtPath, GitError};
use crate::files::Place;
use crate::shadow::shared_indexes;
use crate::status::Status;
use crate::worktree::{Fill, Worktree};

const PATCH: &str = "changes.patch";
const HEAD: &str = "head";
const COMMIT: &str = "commit";
const BRANCH: &str = "branch";
const PATHS: &str = "paths";
const FILES: &str = "files";
const INDEX: &str = "index";
const UNCOMMITTED: &str = "uncommitted";
/// How the name of a folder ends until everything is in it.
const UNFINISHED: &str = "unfinished";

/// How much of a worktree is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotScope {
    /// Commits and the index: for what leaves the files as they are.
    Index,
    /// Everything.
    Worktree,
}

/// What is kept, and where.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotRequest<'a> {
    /// The folder, which is there whole afterwards or not at all.
    pub folder: &'a Path,
    /// How much.
    pub scope: SnapshotScope,
    /// The branch that belongs to the worktree, whatever is checked out.
    pub branch: &'a BranchName,
    /// A commit that stays without us: its history is not copied.
    pub known: &'a CommitId,
}

/// Work that is kept in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    folder: PathBuf,
}

impl Snapshot {
    /// Takes up what was kept in a folder.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether taking it was cut off. Nothing is done before a snapshot is whole, so one that nobody takes any more holds
    /// only copies.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        self.folder.extension().is_some_and(|end| end == UNFINISHED)
    }

    /// Notes what stayed uncommitted when only a part was committed.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn record_uncommitted(&self, paths: &[PathBuf]) -> Result<(), SnapshotError> {
        Ok(disk::write(
            &self.folder.join(UNCOMMITTED),
            &nul_list(paths),
        )?)
    }

    /// Whether something is noted that stayed uncommitted.
    #[must_use]
    pub fn has_uncommitted(&self) -> bool {
        fs::read(self.folder.join(UNCOMMITTED)).is_ok_and(|list| !list.is_empty())
    }

    /// A patch of the uncommitted changes, against the commit they were made on.
    #[must_use]
    pub fn patch(&self) -> PathBuf {
        self.folder.join(PATCH)
    }

    /// Removes it, when it is not needed after all or its time is over.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn remove(&self) -> Result<(), SnapshotError> {
        Ok(disk::remove_folder(&self.folder)?)
    }

    /// The commit that was checked out.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn commit(&self) -> Result<CommitId, SnapshotError> {
        self.text(COMMIT)?.parse().map_err(|_| self.damaged())
    }

    /// The branch, and where it was; `None` if there was no such branch.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn branch(&self) -> Result<(BranchName, Option<CommitId>), SnapshotError> {
        let text = self.text(BRANCH)?;
        let (name, commit) = text.split_once(' ').ok_or_else(|| self.damaged())?;
        let name = name.parse().map_err(|_| self.damaged())?;
        let commit = match commit {
            "-" => None,
            commit => Some(commit.parse().map_err(|_| self.damaged())?),
        };
        Ok((name, commit))
    }

    /// The folder is on the disk afterwards, whole, or not there at all.
    fn make(
        folder: &Path,
        fill: impl FnOnce(&Self) -> Result<(), SnapshotError>,
    ) -> Result<Self, SnapshotError> {
        let made = Self::make_soon(folder, fill)?;
        disk::sync_directory(folder.parent().unwrap_or(folder))?;
        Ok(made)
    }

    /// The same, but a power cut a moment later can take it.
    fn make_soon(
        folder: &Path,
        fill: impl FnOnce(&Self) -> Result<(), SnapshotError>,
    ) -> Result<Self, SnapshotError> {
        let unfinished = Self::in_folder(&folder.with_extension(UNFINISHED));
        disk::make_empty(&unfinished.folder)?;
        let kept =
            fill(&unfinished).and_then(|()| Ok(fs::rename(&unfinished.folder, folder).at(folder)?));
        if let Err(error) = kept {
            // The failure that is reported is the first one.
            fs::remove_dir_all(&unfinished.folder).ok();
            return Err(error);
        }
        Ok(Self::in_folder(folder))
    }

    /// The content of `HEAD`.
    fn head(&self) -> Result<String, SnapshotError> {
        self.text(HEAD)
    }

    /// Every path that had something uncommitted.
    fn paths(&self) -> Result<BTreeSet<PathBuf>, SnapshotError> {
        let list = fs::read(self.folder.join(PATHS)).map_err(|_| self.damaged())?;
        let names = list.split(|byte| *byte == 0);
        let names = names.filter(|name| !name.is_empty());
        Ok(names.map(from_bytes).collect())
    }

    fn text(&self, name: &str) -> Result<String, SnapshotError> {
        let text = fs::read_to_string(self.folder.join(name)).map_err(|_| self.damaged())?;
        Ok(text.trim_end().to_owned())
    }

    fn damaged(&self) -> SnapshotError {
        SnapshotError::Damaged(self.folder.clone())
    }

    pub(crate) fn files(&self) -> PathBuf {
        self.folder.join(FILES)
    }

    /// What a file is called in the worktree until all of it is there. No file of anybody else has this name.
    fn unfinished_name(&self) -> String {
        let name = self.folder.file_name().unwrap_or_default();
        format!(".orchestra-{}.unfinished", name.to_string_lossy())
    }
}

impl Worktree {
    /// Keeps what a risky step could lose. Files that git ignores and repositories inside the worktree stay where they are and
    /// are never touched. `after_file` is called after each file.
    ///
    /// # Errors
    /// If the worktree has no commit, or something cannot be copied.
    pub fn take_snapshot(
        &self,
        request: &SnapshotRequest<'_>,
        after_file: &dyn Fn(),
    ) -> Result<Snapshot, SnapshotError> {
        let folder = request.folder;
        Snapshot::make(folder, |unfinished| {
            self.fill_snapshot(unfinished, request, after_file)
        })
    }

    /// Removes new files and puts tracked ones back, in this order: a file that was only taken out of the index looks new.
    /// Repositories inside the worktree stay. `after_file` is called after each new file.
    ///
    /// # Errors
    /// If something is not as it was kept, and nothing is changed then; or if a file cannot be removed or git fails.
    pub fn drop_changes(
        &self,
        status: &Status,
        kept: &Snapshot,
        after_file: &dyn Fn(),
    ) -> Result<(), SnapshotError> {
        self.require_kept(status, kept)?;
        for path in status.untracked.iter().filter(|path| is_file_name(path)) {
            Place::new(self.path(), path).remove()?;
            after_file();
        }
        match status.head.commit() {
            Some(head) => Ok(self.fill(head, Fill::Again)?),
            None => Ok(()),
        }
    }

    /// Whether everything is as it was kept: files, what is staged, and what is checked out.
    ///
    /// # Errors
    /// If it cannot be told.
    pub fn is_as_kept(&self, kept: &Snapshot) -> Result<bool, SnapshotError> {
        let is_there = self.head_text()?.trim_end() == kept.head()?;
        Ok(is_there && self.paths_changed_since(kept)?.is_empty())
    }

    /// Paths that are not as they were kept, on disk or in the index.
    ///
    /// # Errors
    /// If it cannot be told.
    pub fn paths_changed_since(&self, kept: &Snapshot) -> Result<BTreeSet<PathBuf>, SnapshotError> {
        self.changed_since(kept, &self.status()?)
    }

    /// Somebody may have gone on working while files were copied; only what was kept may be dropped.
    fn require_kept(&self, status: &Status, kept: &Snapshot) -> Result<(), SnapshotError> {
        let now = self.status()?;
        let changed = self.changed_since(kept, &now)?;
        if changed.is_empty() && now.head == status.head {
            return Ok(());
        }
        Err(SnapshotError::ChangedMeanwhile(
            changed.into_iter().collect(),
        ))
    }

    /// The same for a status that is known.
    fn changed_since(
        &self,
        kept: &Snapshot,
        now: &Status,
    ) -> Result<BTreeSet<PathBuf>, SnapshotError> {
        let (head, paths, files) = (kept.commit()?, kept.paths()?, kept.files());
        let mut changed: BTreeSet<PathBuf> =
            paths.symmetric_difference(&now.paths()).cloned().collect();
        for path in &paths {
            if !Place::new(self.path(), path).is_same_as(Place::new(&files, path))? {
                changed.insert(path.clone());
            }
        }
        let kept_index = self.index_entries_in(&kept.folder, &head)?;
        changed.extend(self.index_entries(&head)?.unlike(&[&kept_index]));
        Ok(changed)
    }

    fn fill_snapshot(
        &self,
        kept: &Snapshot,
        request: &SnapshotRequest<'_>,
        after_file: &dyn Fn(),
    ) -> Result<(), SnapshotError> {
        let status = match request.scope {
            SnapshotScope::Worktree => Some(self.status()?),
            SnapshotScope::Index => None,
        };
        let head = match &status {
            Some(status) => status.head.clone(),
            None => self.head()?,
        };
        let Some(commit) = head.commit() else {
            return Err(GitError::NoSuchRevision("HEAD".to_owned()).into());
        };
        let branch = self.repository().find_branch(request.branch)?;
        let mut roots = vec![commit.clone()];
        roots.extend(branch.clone());
        if let Some(status) = &status {
            self.keep_files(kept, status, after_file)?;
            self.write_patch(commit, &kept.patch())?;
            roots.extend(self.keep_state(&kept.folder)?);
        }
        self.keep_index(&kept.folder)?;
        self.keep_objects(kept, request.known, &roots)?;
        let branch = branch.map_or_else(|| "-".to_owned(), |commit| commit.to_string());
        disk::write(&kept.folder.join(HEAD), self.head_text()?.as_bytes())?;
        let text = format!("{} {branch}\n", request.branch);
        disk::write(&kept.folder.join(BRANCH), text.as_bytes())?;
        disk::write(&kept.folder.join(COMMIT), format!("{commit}\n").as_bytes())?;
        Ok(())
    }

    fn keep_files(
        &self,
        kept: &Snapshot,
        status: &Status,
        after_file: &dyn Fn(),
    ) -> Result<(), GitError> {
        let (paths, files) = (status.paths(), kept.files());
        let unfinished = kept.folder.join(kept.unfinished_name());
        for path in &paths {
            let place = Place::new(&files, path);
            Place::new(self.path(), path).copy_to(place, &unfinished)?;
            after_file();
        }
        disk::write(&kept.folder.join(PATHS), &nul_list(&paths))
    }

    fn keep_index(&self, folder: &Path) -> Result<(), GitError> {
        let mut indexes = shared_indexes(self.admin_dir())?;
        indexes.push(self.index_path());
        for index in indexes {
            let name = index.file_name().unwrap_or_default();
            disk::copy_index(&index, &folder.join(name))?;
        }
        Ok(())
    }

    fn write_patch(&self, head: &CommitId, path: &Path) -> Result<(), GitError> {
        let request = DiffRequest {
            scope: DiffScope::Since(head.clone()),
            format: DiffFormat::BinaryPatch,
            color: false,
            paths: Vec::new(),
        };
        disk::stream_to_file(path, |sink| self.diff(&request, sink))
    }
}

/// git ends the path of a repository inside the worktree with a slash.
fn is_file_name(path: &Path) -> bool {
    !to_bytes(path).ends_with(b"/")
}
