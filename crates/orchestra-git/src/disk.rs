//! Writing what has to be on the disk before the next step.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::error::{AtPath, GitError};
use crate::files;
use crate::shadow::copy_with_time;

pub(crate) fn stream_to_file(
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

pub(crate) fn copy_index(from: &Path, to: &Path) -> Result<(), GitError> {
    copy_with_time(from, to).at(from)?;
    files::sync(to)
}

/// A folder for its owner alone: it gets copies of work, with the permissions they come back with.
pub(crate) fn make_empty(folder: &Path) -> Result<(), GitError> {
    remove_folder(folder)?;
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).at(folder)
}

/// Removes a folder that may be there.
pub(crate) fn remove_folder(folder: &Path) -> Result<(), GitError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(GitError::io(folder, error)),
        _ => Ok(()),
    }
}

pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), GitError> {
    let mut file = fs::File::create(path).at(path)?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .at(path)
}

/// A new name is safe once its directory is written; other systems do it with the file.
pub(crate) fn sync_directory(folder: &Path) -> Result<(), GitError> {
    if cfg!(unix) {
        fs::File::open(folder)
            .and_then(|directory| directory.sync_all())
            .at(folder)?;
    }
    Ok(())
}
