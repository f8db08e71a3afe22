//! A folder that is there whole or not at all, and that only its owner can read.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::DataError;
use super::private::make_private;
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
    /// If something is where it should go, or the folder cannot be made.
    pub fn begin_export(&self, target: &Path) -> Result<ExportFolder, EngineError> {
        if target.symlink_metadata().is_ok() {
            return Err(DataError::ExportExists {
                target: target.to_owned(),
            }
            .into());
        }
        let beside = target.parent().unwrap_or(target);
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
    pub fn create(&mut self, name: &str) -> Result<fs::File, EngineError> {
        let path = self.made.path().join(name);
        self.make(&path)
            .map_err(|source| EngineError::io(format!("write {}", path.display()), source))
    }

    fn make(&mut self, path: &Path) -> io::Result<fs::File> {
        let folder = path.parent().unwrap_or(path);
        fs::create_dir_all(folder)?;
        make_private(folder)?;
        let file = fs::File::create_new(path)?;
        make_private(path)?;
        self.files += 1;
        Ok(file)
    }

    /// Copies a file that is kept.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn copy(&mut self, name: &str, from: &Path) -> Result<(), EngineError> {
        let mut to = self.create(name)?;
        let failed = |source| EngineError::io(format!("copy {}", from.display()), source);
        let mut from_file = fs::File::open(from).map_err(failed)?;
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = from_file.read(&mut buffer).map_err(failed)?;
            if count == 0 {
                return to.sync_all().map_err(failed);
            }
            to.write_all(&buffer[..count]).map_err(failed)?;
        }
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
