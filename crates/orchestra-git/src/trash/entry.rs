//! An entry on disk: what is written down about it, and where its parts are.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use orchestra_core::{BranchName, CommitId, SessionId, SessionName, Timestamp, TrashName};
use serde::{Deserialize, Serialize};

use super::error::TrashError;
use crate::error::{AtPath, GitError};
use crate::repository::Repository;

const RECORD: &str = "entry.json";
const NEW_RECORD: &str = "entry.json.new";
const ASIDE: &str = ".orchestra-trash";
const README: &str = "\
Worktrees of sessions that were cleaned up. Each folder is one of them; its entry.json says which.

    orchestra trash list       shows them
    orchestra trash restore    brings one back as it was
    orchestra trash empty      deletes them for good
";

/// What is written down about a worktree in the trash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrashRecord {
    /// Whose worktree it is.
    pub session: SessionId,
    /// What people call the session.
    pub session_name: SessionName,
    /// The branch it had checked out or was rebasing; if that was none, the session's.
    pub branch: BranchName,
    /// Whether that branch was checked out or being rebased.
    pub is_checked_out: bool,
    /// Where the branch was, or was last if somebody had deleted it; `None` if it never had a commit.
    pub commit: Option<CommitId>,
    /// Where the worktree was.
    pub path: PathBuf,
    /// Whether there was anything at that path.
    pub has_directory: bool,
    /// What git's folder for it was called, if there was one.
    pub admin_folder: Option<String>,
    /// When it was taken away.
    pub trashed_at: Timestamp,
    /// Why.
    pub why: String,
}

/// A worktree in the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrashEntry {
    /// What it is called.
    pub name: TrashName,
    /// What is written down about it.
    pub record: TrashRecord,
    /// Whether all of it is there.
    pub state: TrashState,
    /// Where the worktree is now, if there is one.
    pub directory: Option<PathBuf>,
    pub(super) places: Places,
}

/// How far an entry came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrashState {
    /// All of it is in the trash.
    Whole,
    /// A part is still, or again, where it was: something was cut off.
    Unfinished,
}

/// Everything in the trash of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrashListing {
    /// What can be brought back, oldest first.
    pub entries: Vec<TrashEntry>,
    /// Folders that cannot be read.
    pub damaged: Vec<PathBuf>,
}

/// Where the parts of an entry can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Places {
    /// The folder of the entry.
    pub(super) folder: PathBuf,
    /// Where the worktree is at home.
    pub(super) home: PathBuf,
    /// Where git's folder is at home, if there was one.
    pub(super) admin_home: Option<PathBuf>,
    /// Where the worktree goes if it is on another file system.
    pub(super) aside: PathBuf,
}

impl TrashEntry {
    /// Whether all of it is in the trash.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.state == TrashState::Whole
    }

    /// Whether everything is where it was: it was cut off before anything was moved, or after everything came back.
    pub(super) fn is_all_at_home(&self) -> bool {
        let admin_home = self.places.admin_home.as_deref();
        let has_parts = self.directory.is_some() || is_there(&self.places.admin());
        !has_parts
            && (!self.record.has_directory || is_there(&self.places.home))
            && admin_home.is_none_or(is_there)
    }
}

impl Places {
    pub(super) fn admin(&self) -> PathBuf {
        self.folder.join("admin")
    }

    pub(super) fn worktree(&self) -> PathBuf {
        self.folder.join("worktree")
    }

    pub(super) fn objects(&self) -> PathBuf {
        self.folder.join("objects.pack")
    }

    /// What a branch led to that was deleted later than the worktree.
    pub(super) fn branch_objects(&self) -> PathBuf {
        self.folder.join("branch.pack")
    }

    /// Where the worktree is in the trash, if it is there.
    pub(super) fn directory(&self) -> Option<PathBuf> {
        let places = [self.worktree(), self.aside.clone()];
        places.into_iter().find(|place| is_there(place))
    }

    /// Writes down what goes, whole or not at all.
    pub(super) fn write(&self, record: &TrashRecord) -> Result<(), GitError> {
        let path = self.folder.join(RECORD);
        let mut text = serde_json::to_vec_pretty(record).map_err(|error| {
            GitError::io(
                &record.path,
                std::io::Error::new(ErrorKind::InvalidData, error),
            )
        })?;
        text.push(b'\n');
        let new = self.folder.join(NEW_RECORD);
        crate::disk::write(&new, &text)?;
        std::fs::rename(&new, &path).at(&path)
    }
}

impl Repository {
    /// Everything in the trash, oldest first.
    ///
    /// # Errors
    /// If the trash cannot be read.
    pub fn trash_entries(&self) -> Result<TrashListing, GitError> {
        let mut listing = TrashListing::default();
        for (name, folder) in self.trash_folders()? {
            let Ok(name) = name.parse::<TrashName>() else {
                continue;
            };
            match self.find_in_trash(&name) {
                Ok(Some(entry)) => listing.entries.push(entry),
                // Nothing was moved before the record was there.
                Ok(None)
                    if !is_there(&folder.join("admin")) && !is_there(&folder.join("worktree")) => {}
                Ok(None) | Err(_) => listing.damaged.push(folder),
            }
        }
        let order = |entry: &TrashEntry| (entry.record.trashed_at, entry.name.clone());
        listing.entries.sort_by_key(order);
        listing.damaged.sort();
        Ok(listing)
    }

    /// One entry of the trash.
    ///
    /// # Errors
    /// If it is there and cannot be read.
    pub fn find_in_trash(&self, name: &TrashName) -> Result<Option<TrashEntry>, TrashError> {
        let folder = self.trash().join(name.as_str());
        match read_record(&folder) {
            Ok(record) => Ok(Some(self.entry(name, record))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(TrashError::Damaged {
                folder,
                reason: error.to_string(),
            }),
        }
    }

    pub(super) fn require_in_trash(&self, name: &TrashName) -> Result<TrashEntry, TrashError> {
        self.find_in_trash(name)?
            .ok_or_else(|| TrashError::NoSuchEntry(name.clone()))
    }

    pub(super) fn entry(&self, name: &TrashName, record: TrashRecord) -> TrashEntry {
        let places = self.places(name, &record.path, record.admin_folder.as_deref());
        let directory = places.directory();
        let has_all = directory.is_some() == record.has_directory
            && is_there(&places.admin()) == record.admin_folder.is_some();
        TrashEntry {
            name: name.clone(),
            record,
            state: if has_all {
                TrashState::Whole
            } else {
                TrashState::Unfinished
            },
            directory,
            places,
        }
    }

    pub(super) fn places(&self, name: &TrashName, path: &Path, admin: Option<&str>) -> Places {
        let parent = path.parent().unwrap_or(path);
        Places {
            folder: self.trash().join(name.as_str()),
            home: path.to_owned(),
            admin_home: admin.map(|admin| self.common_dir().join("worktrees").join(admin)),
            aside: parent.join(ASIDE).join(name.as_str()),
        }
    }

    /// Where the trash is.
    pub(super) fn trash(&self) -> PathBuf {
        trash_in(self.common_dir())
    }

    /// The names and paths of all folders in the trash.
    pub(super) fn trash_folders(&self) -> Result<Vec<(String, PathBuf)>, GitError> {
        let trash = self.trash();
        let entries = match std::fs::read_dir(&trash) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(GitError::io(&trash, error)),
        };
        let mut folders = Vec::new();
        for entry in entries {
            let entry = entry.at(&trash)?;
            if entry.file_type().at(&trash)?.is_dir() {
                let name = entry.file_name().to_string_lossy().into_owned();
                folders.push((name, entry.path()));
            }
        }
        Ok(folders)
    }

    /// Makes the folder of an entry, in a trash that explains itself.
    pub(super) fn make_folder(&self, places: &Places) -> Result<(), GitError> {
        std::fs::create_dir_all(&places.folder).at(&places.folder)?;
        let readme = self.trash().join("README.txt");
        if readme.exists() {
            return Ok(());
        }
        std::fs::write(&readme, README).at(&readme)
    }
}

/// Where the trash of a git directory is.
pub(super) fn trash_in(common_dir: &Path) -> PathBuf {
    common_dir.join("orchestra").join("trash")
}

/// What is written down in the folder of an entry.
pub(super) fn read_record(folder: &Path) -> std::io::Result<TrashRecord> {
    let text = std::fs::read(folder.join(RECORD))?;
    Ok(serde_json::from_slice(&text)?)
}

/// Whether the folder of an entry has nothing but a record that was cut off.
pub(super) fn is_hardly_begun(folder: &Path) -> bool {
    let Ok(mut entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.all(|entry| entry.is_ok_and(|entry| entry.file_name() == NEW_RECORD))
}

/// Whether anything is at a path, a link that leads nowhere included.
pub(super) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
