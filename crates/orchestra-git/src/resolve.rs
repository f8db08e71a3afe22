//! Conflicts of a worktree, and deciding them one file at a time.

mod directory;
mod error;
mod given;
mod markers;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::{CommitId, EntryMode};

pub use error::ResolveError;

use crate::byte_path::nul_list;
use crate::error::{AtPath, GitError};
use crate::files::Place;
use crate::index_entry::Entry;
use crate::merge::{ConflictedFile, Stage, gather_versions};
use crate::shadow::Shadow;
use crate::snapshot::Snapshot;
use crate::worktree::Worktree;

/// Which version of a file is taken. In a rebase *ours* is what is rebased onto, *theirs* is the session's commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution<'a> {
    /// The version of the base, which may be that there is no such file.
    Ours,
    /// The version of the session, which may be that there is no such file.
    Theirs,
    /// What is in the worktree now, which may be that there is no such file.
    Edited,
    /// What somebody gives; `None`: there is to be no such file.
    Given(Option<&'a [u8]>),
}

/// The conflict of a file. A name that is no text is also found by how it is shown, as long as no other is shown like it.
#[must_use]
pub fn find_conflict<'a>(
    conflicts: &'a [ConflictedFile],
    path: &Path,
) -> Option<&'a ConflictedFile> {
    let exact = conflicts.iter().find(|file| file.path == path);
    exact.or_else(|| {
        let shown = path.to_str()?;
        let mut alike = conflicts.iter();
        let first = alike.find(|file| file.path.to_string_lossy() == shown)?;
        let is_only = !alike.any(|file| file.path.to_string_lossy() == shown);
        is_only.then_some(first)
    })
}

impl Worktree {
    /// What git could not decide, by its index.
    ///
    /// # Errors
    /// If the worktree is gone or git fails.
    pub fn conflicts(&self) -> Result<Vec<ConflictedFile>, GitError> {
        let shadow = Shadow::of_worktree(self, &self.commit_checked_out()?)?;
        let call = shadow.call("ls-files").args(["--unmerged", "-z"]);
        let versions = self.indexed_by(&call)?;
        let mut conflicts = gather_versions(versions)
            .ok_or_else(|| call.unreadable("a version is of no known kind"))?;
        self.find_directories(&shadow, &mut conflicts)?;
        Ok(conflicts)
    }

    /// Decides about one file, in the worktree and in the index. The versions that are not taken stay in the commits they are
    /// from; edits of the file that are not taken are lost. Where one side has a directory, that is all of it which git tracks.
    ///
    /// # Errors
    /// If the file has no conflict, conflict markers are left in it, or something that git does not track is in the way;
    /// nothing is changed then. Or if git fails.
    pub fn resolve(&self, path: &Path, resolution: Resolution<'_>) -> Result<(), ResolveError> {
        let file = self.check_resolve(path, resolution)?;
        let shadow = Shadow::of_worktree(self, &self.commit_checked_out()?)?;
        match resolution {
            Resolution::Ours => self.take_version(&shadow, &file, Side::Ours),
            Resolution::Theirs => self.take_version(&shadow, &file, Side::Theirs),
            Resolution::Edited if file.meets_directory => self.take_what_is_there(&file.path),
            Resolution::Edited => Ok(self.stage_as_it_is(&shadow, &[file.path])?),
            Resolution::Given(content) => self.take_given(&shadow, &file, content),
        }
    }

    /// The conflict of a file, if it could be decided like this now: what [`Self::resolve`] looks at first.
    ///
    /// # Errors
    /// If the file has no conflict, conflict markers are left in it, or something that git does not track is in the way.
    pub fn check_resolve(
        &self,
        path: &Path,
        resolution: Resolution<'_>,
    ) -> Result<ConflictedFile, ResolveError> {
        let conflicts = self.conflicts()?;
        let Some(file) = find_conflict(&conflicts, path) else {
            let conflicts = conflicts.into_iter().map(|file| file.path).collect();
            return Err(ResolveError::NotConflicted {
                path: path.to_owned(),
                conflicts,
            });
        };
        match resolution {
            Resolution::Ours => self.require_room_for_version(file, Side::Ours)?,
            Resolution::Theirs => self.require_room_for_version(file, Side::Theirs)?,
            Resolution::Edited if self.is_submodule(file) => {
                return Err(ResolveError::Submodule(file.path.clone()));
            }
            Resolution::Edited => self.require_no_markers(&file.path)?,
            Resolution::Given(content) => self.require_possible_content(file, content)?,
        }
        Ok(file.clone())
    }

    /// Writes the version of the base into the worktree and leaves the conflict undecided: somebody makes the file again from
    /// it.
    ///
    /// # Errors
    /// As [`Self::check_resolve`], or if git fails.
    pub fn write_ours(&self, path: &Path) -> Result<(), ResolveError> {
        let file = self.check_resolve(path, Resolution::Ours)?;
        let shadow = Shadow::of_worktree(self, &self.commit_checked_out()?)?;
        self.write_version(&shadow, &file, Side::Ours)
    }

    /// Decides about every file that is not as a snapshot has it any more and has no markers left: as it is now. A directory
    /// in the place of a file decides nothing. Gives back which these are.
    ///
    /// # Errors
    /// If git fails.
    pub fn resolve_changed_since(&self, kept: &Snapshot) -> Result<Vec<PathBuf>, ResolveError> {
        let decided = self.decided_since(kept)?;
        for path in &decided {
            self.resolve(path, Resolution::Edited)?;
        }
        Ok(decided)
    }

    /// What [`Self::resolve_changed_since`] would decide about.
    ///
    /// # Errors
    /// If git fails.
    pub fn decided_since(&self, kept: &Snapshot) -> Result<Vec<PathBuf>, ResolveError> {
        let (before, mut decided) = (kept.files(), Vec::new());
        for ConflictedFile { path, .. } in self.conflicts()? {
            let is_directory = self.path().join(&path).is_dir();
            let now = Place::new(self.path(), &path);
            if is_directory || now.is_same_as(Place::new(&before, &path))? {
                continue;
            }
            match self.require_no_markers(&path) {
                Ok(()) => decided.push(path),
                Err(ResolveError::MarkersLeft { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(decided)
    }

    /// The file comes first: while the index has the conflict, doing it again is harmless.
    fn take_version(
        &self,
        shadow: &Shadow,
        file: &ConflictedFile,
        side: Side,
    ) -> Result<(), ResolveError> {
        self.write_version(shadow, file, side)?;
        let entry = side.of(file).map(Entry::from);
        let below = match entry {
            Some(_) => self.paths_in_place_of(shadow, file)?,
            None => Vec::new(),
        };
        let gone = below.iter().map(|path| (path, None));
        self.put_index_entries(shadow, gone.chain([(&file.path, entry.as_ref())]))?;
        // Its exit code says whether other files differ from the index, which is their right.
        let refresh = shadow.call("update-index").args(["-q", "--refresh"]);
        self.repository().git().run(&refresh)?;
        Ok(())
    }

    /// git itself would remove a directory that is in the place of the file, with everything in it.
    fn require_room_for_version(
        &self,
        file: &ConflictedFile,
        side: Side,
    ) -> Result<(), ResolveError> {
        let version = side.of(file);
        if version.is_none_or(|stage| stage.mode == EntryMode::Submodule) {
            return Ok(());
        }
        self.require_place_of_file(file)
    }

    fn require_place_of_file(&self, file: &ConflictedFile) -> Result<(), ResolveError> {
        let shadow = Shadow::of_worktree(self, &self.commit_checked_out()?)?;
        let mut leaving: BTreeSet<_> = self.paths_in_place_of(&shadow, file)?.into_iter().collect();
        leaving.insert(file.path.clone());
        let obstacle = Place::new(self.path(), &file.path).obstacle(&leaving)?;
        obstacle.map_or(Ok(()), |path| Err(ResolveError::InTheWay(path)))
    }

    fn write_version(
        &self,
        shadow: &Shadow,
        file: &ConflictedFile,
        side: Side,
    ) -> Result<(), ResolveError> {
        let place = Place::new(self.path(), &file.path);
        match side.of(file) {
            None => {
                place.remove()?;
                return self.write_directory(shadow, file);
            }
            Some(stage) if stage.mode == EntryMode::Submodule => {
                place.remove()?;
                let folder = self.path().join(&file.path);
                return Ok(fs::create_dir_all(&folder).at(&folder)?);
            }
            Some(_) => {}
        }
        for path in self.paths_in_place_of(shadow, file)? {
            Place::new(self.path(), &path).remove()?;
        }
        let call = shadow
            .call("checkout-index")
            .args(["--force", "-z", "--stdin"]);
        let call = call.arg(format!("--stage={}", side.number()));
        let call = call.stdin(nul_list(std::slice::from_ref(&file.path)));
        self.repository().git().run(&call)?.require_success()?;
        Ok(())
    }

    fn require_no_markers(&self, path: &Path) -> Result<(), ResolveError> {
        let full = self.path().join(path);
        if !full.is_file() || full.is_symlink() {
            return Ok(());
        }
        let lines = markers::lines(&fs::read(&full).at(&full)?);
        if lines.is_empty() {
            return Ok(());
        }
        let path = path.to_owned();
        Err(ResolveError::MarkersLeft { path, lines })
    }

    fn is_submodule(&self, file: &ConflictedFile) -> bool {
        let versions = [&file.ours, &file.theirs];
        let is_link = |stage: &Stage| stage.mode == EntryMode::Submodule;
        versions.into_iter().flatten().any(is_link) && self.path().join(&file.path).is_dir()
    }

    fn stage_as_it_is(&self, shadow: &Shadow, paths: &[PathBuf]) -> Result<(), GitError> {
        let call = shadow.call("update-index");
        let call = call.args(["--add", "--remove", "-z", "--stdin"]);
        let call = call.stdin(nul_list(paths));
        self.repository().git().run(&call)?.require_success()?;
        Ok(())
    }

    fn commit_checked_out(&self) -> Result<CommitId, GitError> {
        let head = self.head()?;
        let commit = head.commit().cloned();
        commit.ok_or_else(|| GitError::NoSuchRevision("HEAD".to_owned()))
    }
}

/// One of the two versions.
#[derive(Debug, Clone, Copy)]
enum Side {
    Ours,
    Theirs,
}

impl Side {
    fn of(self, file: &ConflictedFile) -> Option<&Stage> {
        match self {
            Self::Ours => file.ours.as_ref(),
            Self::Theirs => file.theirs.as_ref(),
        }
    }

    /// git's.
    const fn number(self) -> u8 {
        match self {
            Self::Ours => 2,
            Self::Theirs => 3,
        }
    }
}
