//! A folder that is there whole or not at all, and that only its owner can read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::DataError;
use super::private::make_private;
use crate::folder::paths_in;
use crate::{Engine, EngineError};

/// A folder that is being written beside the place it gets.
#[derive(Debug)]
pub struct ExportFolder {
    made: TempDir,
    target: PathBuf,
    files: u64,
}

impl Engine {
    /// Begins an export.
    ///
    /// # Errors
    /// If something is where it should go, it is in the data directory, or the folder cannot be made.
    pub fn begin_export(&self, target: &Path) -> Result<ExportFolder, EngineError> {
        if target.symlink_metadata().is_ok() {
            return Err(DataError::ExportExists {
                target: target.to_owned(),
            }
            .into());
        }
        let beside = target.parent().unwrap_or(target);
        if is_below(beside, self.dirs.root()) {
            return Err(DataError::ExportInside {
                target: target.to_owned(),
            }
            .into());
        }
        let made = tempfile::Builder::new()
            .prefix(".orchestra-export-")
            .tempdir_in(beside)
            .map_err(|source| EngineError::io(format!("write to {}", beside.display()), source))?;
        Ok(ExportFolder {
            made,
            target: target.to_owned(),
            files: 0,
        })
    }
}

impl ExportFolder {
    /// How many files it has.
    #[must_use]
    pub const fn files(&self) -> u64 {
        self.files
    }

    /// A new file in it, to be written.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn create(&mut self, name: impl AsRef<Path>) -> Result<fs::File, EngineError> {
        let path = self.made.path().join(name);
        self.make(&path)
            .map_err(|source| EngineError::io(format!("write {}", path.display()), source))
    }

    fn make(&mut self, path: &Path) -> io::Result<fs::File> {
        let folder = path.parent().unwrap_or(path);
        make_folder(folder)?;
        let file = fs::File::create_new(path)?;
        make_private(path)?;
        self.files += 1;
        Ok(file)
    }

    /// Copies a file that is kept, for its owner alone; whether it can be run stays.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn copy(&mut self, name: impl AsRef<Path>, from: &Path) -> Result<(), EngineError> {
        let mut to = self.create(&name)?;
        let to_path = self.made.path().join(name);
        let mut copied = || -> io::Result<()> {
            let mut file = fs::File::open(from)?;
            io::copy(&mut file, &mut to)?;
            to.set_permissions(file.metadata()?.permissions())?;
            make_private(&to_path)?;
            to.sync_all()
        };
        copied().map_err(|source| EngineError::io(format!("copy {}", from.display()), source))
    }

    /// Copies a folder that is kept; links are copied as links, and where they lead is not looked at.
    ///
    /// # Errors
    /// If something cannot be read or written.
    pub fn copy_folder(&mut self, name: impl AsRef<Path>, from: &Path) -> Result<(), EngineError> {
        for path in paths_in(from)? {
            let failed = |source| EngineError::io(format!("copy {}", path.display()), source);
            let own = path.file_name().unwrap_or_default();
            let to = name.as_ref().join(own);
            let kind = fs::symlink_metadata(&path).map_err(failed)?.file_type();
            if kind.is_dir() {
                self.copy_folder(&to, &path)?;
            } else if kind.is_symlink() {
                copy_link(&path, &self.made.path().join(&to)).map_err(failed)?;
            } else {
                self.copy(&to, &path)?;
            }
        }
        Ok(())
    }

    /// It is all there, and gets its place.
    ///
    /// # Errors
    /// If something is there by now, or the file system refuses.
    pub fn finish(self) -> Result<PathBuf, EngineError> {
        let target = self.target;
        if target.symlink_metadata().is_ok() {
            return Err(DataError::ExportExists { target }.into());
        }
        let failed = |source| EngineError::io(format!("write {}", target.display()), source);
        fs::rename(self.made.path(), &target).map_err(failed)?;
        // It is not where the temporary folder would be removed any more.
        let _moved = self.made.keep();
        Ok(target)
    }
}

/// Whether a directory is another one or below it, whatever links lead there.
fn is_below(directory: &Path, root: &Path) -> bool {
    let real = |path: &Path| path.canonicalize();
    matches!((real(directory), real(root)), (Ok(directory), Ok(root)) if directory.starts_with(&root))
}

fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    make_private(folder)
}

fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    make_folder(to.parent().unwrap_or(to))?;
    let target = fs::read_link(from)?;
    link(&target, to)
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(windows)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, at)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_folder_is_copied_with_links_as_links_and_for_its_owner_alone() {
        let place = tempfile::tempdir().unwrap();
        let from = place.path().join("from");
        fs::create_dir_all(from.join("inner")).unwrap();
        fs::write(from.join("inner/tool"), "run").unwrap();
        fs::set_permissions(from.join("inner/tool"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("/etc", from.join("link")).unwrap();
        let mut folder = ExportFolder {
            made: tempfile::tempdir_in(place.path()).unwrap(),
            target: place.path().join("to"),
            files: 0,
        };
        folder.copy_folder("x/y", &from).unwrap();
        assert_eq!(folder.files(), 1);
        let to = folder.finish().unwrap().join("x/y");
        assert_eq!(fs::read_to_string(to.join("inner/tool")).unwrap(), "run");
        assert_eq!(fs::read_link(to.join("link")).unwrap(), Path::new("/etc"));
        for (name, expected) in [("", 0o700), ("inner", 0o700), ("inner/tool", 0o700)] {
            let mode = fs::metadata(to.join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, expected, "{name}");
        }
    }
}
