//! Saving a file: it is there as a whole or not at all, and nothing that somebody wrote meanwhile is lost.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;

use orchestra_core::SessionId;

use super::{FileError, LARGEST_FILE, WorktreeFile, path, require_path};
use crate::copy_files::Directory;
use crate::engine::random_hex;
use crate::prompt_file::{is_abandoned, of_this_process};
use crate::{Engine, EngineError};

/// What the name of a file begins with until it is whole.
const UNFINISHED: &str = ".orchestra-unsaved-";

/// A file to save.
#[derive(Debug, Clone)]
pub struct SaveFile {
    /// Where, from the top of the worktree.
    pub path: String,
    /// What is to be in it.
    pub content: Vec<u8>,
    /// The version that is replaced; `None`: it must not be there yet.
    pub version: Option<String>,
    /// Also while something works on the session.
    pub while_running: bool,
}

impl Engine {
    /// Saves a file in a session's worktree, and answers what is there now. It keeps its permissions.
    ///
    /// # Errors
    /// If something works on the session, the path leads elsewhere, or the file is not the one that is to be replaced.
    pub fn save_file(&self, id: &SessionId, order: &SaveFile) -> Result<WorktreeFile, EngineError> {
        let place = require_path(&order.path)?;
        if order.content.len() as u64 > LARGEST_FILE {
            let path = order.path.clone();
            return Err(FileError::TooLarge { path }.into());
        }
        let (lease, session) = match order.while_running {
            true => (None, self.session(id)?.session),
            false => {
                let (lease, view) = self.take_at_rest(id)?;
                (Some(lease), view.session)
            }
        };
        let worktree = self.worktree_of(&session)?;
        let unfinished = format!("{UNFINISHED}{}{}", of_this_process(), random_hex()?);
        let saved = save(worktree.path(), &place, OsStr::new(&unfinished), order);
        let saved = saved.map_err(|problem| problem.of(&order.path))?;
        self.refresh(id)?;
        drop(lease);
        Ok(saved)
    }
}

/// Why a file was not saved.
#[derive(Debug)]
enum NotSaved {
    Changed,
    Io(io::Error),
}

impl From<io::Error> for NotSaved {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl NotSaved {
    fn of(self, path: &str) -> FileError {
        match self {
            Self::Io(source) => FileError::of(path, source),
            Self::Changed => FileError::Changed {
                path: path.to_owned(),
            },
        }
    }
}

fn save(
    top: &Path,
    place: &Path,
    unfinished: &OsStr,
    order: &SaveFile,
) -> Result<WorktreeFile, NotSaved> {
    let (folder, name) = path::split(place)?;
    let top = Directory::open(top)?;
    let folder = match order.version {
        Some(_) => top.below(folder)?,
        None => top.make_below(folder)?,
    };
    remove_abandoned(&folder)?;
    let saving = Saving {
        folder: &folder,
        name,
        unfinished,
    };
    match order.version.as_deref() {
        Some(version) => saving.replace(version, &order.content)?,
        None => saving.add(&order.content)?,
    }
    Ok(WorktreeFile::read(&folder.file(name)?)?)
}

/// Removes what was being written when its process died.
fn remove_abandoned(folder: &Directory) -> io::Result<()> {
    let names: Vec<OsString> = folder.names()?;
    for name in names {
        let rest = name.to_str().and_then(|name| name.strip_prefix(UNFINISHED));
        if rest.is_some_and(|rest| is_abandoned(OsStr::new(rest))) {
            folder.remove_file(&name)?;
        }
    }
    Ok(())
}

/// A file that is being saved, first under another name beside it.
struct Saving<'a> {
    folder: &'a Directory,
    name: &'a OsStr,
    unfinished: &'a OsStr,
}

impl Saving<'_> {
    fn add(&self, content: &[u8]) -> Result<(), NotSaved> {
        if self.folder.kind(self.name)?.is_some() {
            return Err(NotSaved::Io(io::ErrorKind::AlreadyExists.into()));
        }
        let added = self
            .write(content, plain_permissions)
            .and_then(|()| self.folder.rename_new(self.unfinished, self.name));
        Ok(added.inspect_err(|_| self.remove())?)
    }

    fn replace(&self, version: &str, content: &[u8]) -> Result<(), NotSaved> {
        let original = self.folder.original(self.name)?;
        if !is_version(&WorktreeFile::read(&original.file)?, version) {
            return Err(NotSaved::Changed);
        }
        let written = self.write(content, |file| original.give_permissions(file));
        let replaced = written
            .map_err(NotSaved::from)
            .and_then(|()| self.take_place(version));
        self.remove();
        replaced
    }

    fn write(
        &self,
        content: &[u8],
        finish: impl FnOnce(&std::fs::File) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut file = self.folder.new_file(self.unfinished)?;
        file.write_all(content)?;
        finish(&file)?;
        file.sync_all()
    }

    /// The new file and the old one change places, so that the old one is still there to be looked at: if somebody wrote it in
    /// the last moment, they change back.
    fn take_place(&self, version: &str) -> Result<(), NotSaved> {
        match self.folder.exchange(self.unfinished, self.name) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                if !self.has_version(self.name, version) {
                    return Err(NotSaved::Changed);
                }
                self.folder.rename(self.unfinished, self.name)?;
                return Ok(());
            }
            exchanged => exchanged?,
        }
        if self.has_version(self.unfinished, version) {
            return Ok(());
        }
        self.folder.exchange(self.unfinished, self.name)?;
        Err(NotSaved::Changed)
    }

    fn has_version(&self, name: &OsStr, version: &str) -> bool {
        let there = self.folder.file(name);
        let there = there.and_then(|file| WorktreeFile::read(&file));
        there.is_ok_and(|there| is_version(&there, version))
    }

    /// It has another name by now, or is of no use.
    fn remove(&self) {
        match self.folder.remove_file(self.unfinished) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::debug!(%error, "an unfinished file stays");
            }
            _ => {}
        }
    }
}

fn is_version(file: &WorktreeFile, version: &str) -> bool {
    file.version().as_deref() == Some(version)
}

#[cfg(unix)]
fn plain_permissions(file: &std::fs::File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
}

#[cfg(not(unix))]
fn plain_permissions(_file: &std::fs::File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::version_of;
    use super::*;

    fn order(content: &str, version: Option<&str>) -> SaveFile {
        SaveFile {
            path: "file".to_owned(),
            content: content.into(),
            version: version.map(|old| version_of(old.as_bytes())),
            while_running: false,
        }
    }

    fn save_at(top: &Path, place: &str, order: &SaveFile) -> Result<WorktreeFile, NotSaved> {
        save(top, Path::new(place), OsStr::new("unfinished"), order)
    }

    #[test]
    fn only_the_known_version_is_replaced() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join("file");
        let saved = save_at(top.path(), "file", &order("one", None)).unwrap();
        assert_eq!(saved.version(), Some(version_of(b"one")));
        let error = save_at(top.path(), "file", &order("two", None)).unwrap_err();
        assert_eq!(error.of("file").code(), "file.exists");
        fs::write(&file, "theirs").unwrap();
        let error = save_at(top.path(), "file", &order("two", Some("one"))).unwrap_err();
        assert_eq!(error.of("file").code(), "file.changed");
        assert_eq!(fs::read(&file).unwrap(), b"theirs");
        save_at(top.path(), "file", &order("two", Some("theirs"))).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        let error = save_at(top.path(), "gone", &order("two", Some("one"))).unwrap_err();
        assert_eq!(error.of("gone").code(), "file.not_found");
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_was_written_in_the_last_moment_comes_back() {
        let top = tempfile::tempdir().unwrap();
        fs::write(top.path().join("file"), "theirs").unwrap();
        fs::write(top.path().join("unfinished"), "ours").unwrap();
        let folder = Directory::open(top.path()).unwrap();
        let saving = Saving {
            folder: &folder,
            name: OsStr::new("file"),
            unfinished: OsStr::new("unfinished"),
        };
        let taken = saving.take_place(&version_of(b"what was read"));
        assert!(matches!(taken, Err(NotSaved::Changed)));
        assert_eq!(fs::read(top.path().join("file")).unwrap(), b"theirs");
        saving.take_place(&version_of(b"theirs")).unwrap();
        assert_eq!(fs::read(top.path().join("file")).unwrap(), b"ours");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay_and_links_are_not_followed() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (top, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (file, precious) = (top.path().join("file"), outside.path().join("precious"));
        fs::write(&file, "one").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
        save_at(top.path(), "file", &order("two", Some("one"))).unwrap();
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o7777,
            0o750
        );
        fs::write(&precious, "one").unwrap();
        symlink(&precious, top.path().join("link")).unwrap();
        symlink(outside.path(), top.path().join("folder")).unwrap();
        for place in ["link", "folder/precious"] {
            let error = save_at(top.path(), place, &order("two", Some("one"))).unwrap_err();
            assert_eq!(error.of(place).code(), "file.other_kind", "{place}");
        }
        let error = save_at(top.path(), "link", &order("two", None)).unwrap_err();
        assert_eq!(error.of("link").code(), "file.exists");
        let error = save_at(top.path(), "folder/new", &order("two", None)).unwrap_err();
        assert_eq!(error.of("folder/new").code(), "file.other_kind");
        assert_eq!(fs::read(&precious).unwrap(), b"one");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    }
}
