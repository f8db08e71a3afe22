//! Uncommitted changes, kept outside of the worktree and brought back byte for byte: the files as they are on disk, the index
//! as it is, and the objects only the index knows, so that what was staged is staged again. A patch of it all is beside
//! them, for people.

mod entries;
mod error;
mod files;
mod restore;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;

pub use error::KeepError;
use files::Place;

use crate::byte_path::{from_bytes, nul_list, to_bytes};
use crate::diff::{DiffFormat, DiffRequest, DiffScope};
use crate::error::{AtPath, GitError};
use crate::operation::Operation;
use crate::shadow::{Shadow, copy_with_time, shared_indexes};
use crate::status::Status;
use crate::worktree::{Fill, Worktree};

const PATCH: &str = "changes.patch";
const HEAD: &str = "head";
const PATHS: &str = "paths";
const FILES: &str = "files";
const INDEX: &str = "index";
const OBJECTS: &str = "objects.pack";

/// Uncommitted changes in a folder of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptChanges {
    folder: PathBuf,
}

impl KeptChanges {
    /// Takes up what was kept in a folder.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// Where they are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A patch against the commit they were made on.
    #[must_use]
    pub fn patch(&self) -> PathBuf {
        self.folder.join(PATCH)
    }

    fn head(&self) -> Result<CommitId, KeepError> {
        let text = fs::read_to_string(self.folder.join(HEAD)).ok();
        text.and_then(|text| text.trim().parse().ok())
            .ok_or_else(|| KeepError::Damaged(self.folder.clone()))
    }

    fn paths(&self) -> Result<BTreeSet<PathBuf>, KeepError> {
        let list = fs::read(self.folder.join(PATHS))
            .map_err(|_| KeepError::Damaged(self.folder.clone()))?;
        Ok(path_list(&list))
    }

    fn files(&self) -> PathBuf {
        self.folder.join(FILES)
    }

    /// What a file is called in the worktree until all of it is there. No file of anybody else has this name.
    fn unfinished_name(&self) -> String {
        let name = self.folder.file_name().unwrap_or_default();
        format!(".orchestra-{}.unfinished", name.to_string_lossy())
    }
}

impl Worktree {
    /// Copies everything uncommitted into `folder`, which is there whole afterwards or not at all. Files that git ignores and
    /// repositories inside the worktree are not part of it. `after_file` is called after each file.
    ///
    /// # Errors
    /// If git is in the middle of something there, or a file cannot be copied.
    pub fn keep_changes(
        &self,
        status: &Status,
        folder: &Path,
        after_file: &dyn Fn(),
    ) -> Result<KeptChanges, KeepError> {
        self.require_no_operation()?;
        let Some(head) = status.head.commit() else {
            return Err(GitError::NoSuchRevision("HEAD".to_owned()).into());
        };
        let unfinished = KeptChanges::in_folder(&folder.with_extension("unfinished"));
        let kept = self
            .fill_folder(&unfinished, status, head, after_file)
            .and_then(|()| fs::rename(&unfinished.folder, folder).at(folder));
        if let Err(error) = kept {
            // The failure that is reported is the first one.
            fs::remove_dir_all(&unfinished.folder).ok();
            return Err(error.into());
        }
        sync_directory(folder.parent().unwrap_or(folder))?;
        Ok(KeptChanges::in_folder(folder))
    }

    /// Removes new files and puts tracked ones back, in this order: a file that was only taken out of the index looks new.
    /// Repositories inside the worktree stay. `after_file` is called after each new file.
    ///
    /// # Errors
    /// If something is not as it was kept, and nothing is changed then; or if a file cannot be removed or git fails.
    pub fn drop_changes(
        &self,
        status: &Status,
        kept: &KeptChanges,
        after_file: &dyn Fn(),
    ) -> Result<(), KeepError> {
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

    /// Somebody may have gone on working while files were copied; only what was kept may be dropped.
    fn require_kept(&self, status: &Status, kept: &KeptChanges) -> Result<(), KeepError> {
        let (head, now) = (kept.head()?, self.status()?);
        let (paths, files) = (kept.paths()?, kept.files());
        let mut changed: BTreeSet<PathBuf> =
            paths.symmetric_difference(&now.paths()).cloned().collect();
        for path in &paths {
            if !Place::new(self.path(), path).is_same_as(Place::new(&files, path))? {
                changed.insert(path.clone());
            }
        }
        let kept_index = self.index_entries_in(&kept.folder, &head)?;
        changed.extend(self.index_entries(&head)?.unlike(&[&kept_index]));
        if changed.is_empty() && now.head == status.head {
            return Ok(());
        }
        Err(KeepError::ChangedMeanwhile(changed.into_iter().collect()))
    }

    /// A bisection waits for nothing that is in the files or the index.
    fn require_no_operation(&self) -> Result<(), KeepError> {
        match self.operation().filter(|found| *found != Operation::Bisect) {
            Some(operation) => Err(KeepError::OperationInProgress(operation)),
            None => Ok(()),
        }
    }

    fn fill_folder(
        &self,
        kept: &KeptChanges,
        status: &Status,
        head: &CommitId,
        after_file: &dyn Fn(),
    ) -> Result<(), GitError> {
        make_empty(&kept.folder)?;
        let (paths, files) = (status.paths(), kept.files());
        let unfinished = kept.folder.join(kept.unfinished_name());
        for path in &paths {
            let place = Place::new(&files, path);
            Place::new(self.path(), path).copy_to(place, &unfinished)?;
            after_file();
        }
        self.keep_index(head, kept)?;
        self.write_patch(head, &kept.patch())?;
        write(&kept.folder.join(PATHS), &nul_list(&paths))?;
        write(&kept.folder.join(HEAD), format!("{head}\n").as_bytes())
    }

    /// The index, and the objects nothing but the index leads to: git would remove them one day.
    fn keep_index(&self, head: &CommitId, kept: &KeptChanges) -> Result<(), GitError> {
        for index in self.index_files()? {
            let name = index.file_name().unwrap_or_default();
            copy_index(&index, &kept.folder.join(name))?;
        }
        let shadow = Shadow::of_worktree(self, head)?;
        let call = shadow
            .call("pack-objects")
            .args(["--quiet", "--stdout", "--indexed-objects"])
            .stdin(format!("^{head}\n").into_bytes());
        stream_to_file(&kept.folder.join(OBJECTS), |sink| {
            let answer = self.repository().git().stream(&call, sink)?;
            answer.require_success().map(drop)
        })
    }

    fn index_files(&self) -> Result<Vec<PathBuf>, GitError> {
        let mut found = shared_indexes(self.admin_dir())?;
        found.push(self.index_path());
        Ok(found)
    }

    fn write_patch(&self, head: &CommitId, path: &Path) -> Result<(), GitError> {
        let request = DiffRequest {
            scope: DiffScope::Since(head.clone()),
            format: DiffFormat::BinaryPatch,
            color: false,
            paths: Vec::new(),
        };
        stream_to_file(path, |sink| self.diff(&request, sink))
    }
}

fn stream_to_file(
    path: &Path,
    source: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), GitError>,
) -> Result<(), GitError> {
    let mut file = fs::File::create(path).at(path)?;
    let mut written = Ok(());
    source(&mut |chunk| {
        if written.is_ok() {
            written = file.write_all(chunk);
        }
    })?;
    written.and_then(|()| file.sync_all()).at(path)
}

fn copy_index(from: &Path, to: &Path) -> Result<(), GitError> {
    copy_with_time(from, to).at(from)?;
    files::sync(to)
}

fn path_list(bytes: &[u8]) -> BTreeSet<PathBuf> {
    let names = bytes.split(|byte| *byte == 0);
    names
        .filter(|name| !name.is_empty())
        .map(from_bytes)
        .collect()
}

/// git ends the path of a repository inside the worktree with a slash.
fn is_file_name(path: &Path) -> bool {
    !to_bytes(path).ends_with(b"/")
}

fn make_empty(folder: &Path) -> Result<(), GitError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(GitError::io(folder, error)),
        _ => fs::create_dir_all(folder).at(folder),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), GitError> {
    let mut file = fs::File::create(path).at(path)?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .at(path)
}

/// A new name is safe once its directory is written; other systems do it with the file.
fn sync_directory(folder: &Path) -> Result<(), GitError> {
    if cfg!(unix) {
        fs::File::open(folder)
            .and_then(|directory| directory.sync_all())
            .at(folder)?;
    }
    Ok(())
}
