//! Conflicts where one side has a file and the other a directory. The file is what the conflict is about; what is in the
//! directory is merged by itself, below it.

use std::path::{Path, PathBuf};

use super::ResolveError;
use crate::byte_path::{nul_list, to_bytes};
use crate::error::GitError;
use crate::files::Place;
use crate::index_entry::Indexed;
use crate::index_lock::IndexLock;
use crate::merge::ConflictedFile;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

impl Worktree {
    /// Notes which files have a directory on the other side.
    pub(super) fn find_directories(
        &self,
        shadow: &Shadow,
        conflicts: &mut [ConflictedFile],
    ) -> Result<(), GitError> {
        let is_one_sided = |file: &ConflictedFile| file.ours.is_some() != file.theirs.is_some();
        if !conflicts.iter().any(is_one_sided) {
            return Ok(());
        }
        let indexed = self.indexed_paths(shadow)?;
        for file in conflicts.iter_mut().filter(|file| is_one_sided(file)) {
            file.meets_directory = indexed.iter().any(|path| is_below(path, &file.path));
        }
        Ok(())
    }

    /// What goes when the file is taken.
    pub(super) fn paths_in_place_of(
        &self,
        shadow: &Shadow,
        file: &ConflictedFile,
    ) -> Result<Vec<PathBuf>, GitError> {
        if !file.meets_directory {
            return Ok(Vec::new());
        }
        let mut paths = self.indexed_paths(shadow)?;
        paths.retain(|path| is_below(path, &file.path));
        Ok(paths.into_iter().collect())
    }

    /// The directory may have given way to something that somebody tried.
    pub(super) fn write_directory(
        &self,
        shadow: &Shadow,
        file: &ConflictedFile,
    ) -> Result<(), ResolveError> {
        if !file.meets_directory {
            return Ok(());
        }
        let mut missing = Vec::new();
        for path in self.decided_below(shadow, &file.path)? {
            if Place::new(self.path(), &path).is_free()? {
                missing.push(path);
            }
        }
        let call = shadow.call("checkout-index").args(["-z", "--stdin"]);
        let call = call.stdin(nul_list(&missing));
        self.repository().git().run(&call)?.require_success()?;
        Ok(())
    }

    /// A file, or all of a directory but what has a conflict of its own; new files are part of it, ignored ones are not.
    pub(super) fn take_what_is_there(&self, path: &Path) -> Result<(), ResolveError> {
        let untracked = self.status()?.untracked;
        let lock = IndexLock::take(self)?;
        let shadow = Shadow::of_worktree(self, &self.commit_checked_out()?)?;
        let shadow = shadow.with_copied_index(self)?;
        let (gone, there): (Vec<PathBuf>, Vec<PathBuf>) =
            if Place::new(self.path(), path).is_free()? {
                let is_new = |one: &PathBuf| is_below(one, path) && !to_bytes(one).ends_with(b"/");
                let mut there = self.decided_below(&shadow, path)?;
                there.extend(untracked.into_iter().filter(is_new));
                (vec![path.to_owned()], there)
            } else {
                let below = self.indexed_paths(&shadow)?.into_iter();
                let below = below.filter(|one| is_below(one, path));
                (below.collect(), vec![path.to_owned()])
            };
        self.put_index_entries(&shadow, gone.iter().map(|path| (path, None)))?;
        self.stage_as_it_is(&shadow, &there)?;
        lock.fill(shadow.index())?;
        Ok(lock.replace(&self.index_path())?)
    }

    fn decided_below(&self, shadow: &Shadow, path: &Path) -> Result<Vec<PathBuf>, GitError> {
        let call = shadow.call("ls-files").args(["--stage", "-z"]);
        let is_decided = |one: &Indexed| one.stage == 0 && is_below(&one.path, path);
        let found = self.indexed_by(&call)?.into_iter().filter(is_decided);
        Ok(found.map(|one| one.path).collect())
    }
}

fn is_below(path: &Path, directory: &Path) -> bool {
    path != directory && path.starts_with(directory)
}
