//! File operations whose errors name the path.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

pub(crate) fn create_directory(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| failed("create", path, error))
}

/// Writes a file, with its folders.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    if let Some(parent) = path.parent() {
        create_directory(parent)?;
    }
    fs::write(path, content).map_err(|error| failed("write", path, error))
}

pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| failed("read", path, error))
}

pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::copy(from, to).map_err(|error| failed("copy", from, error))?;
    Ok(())
}

/// Removes a directory with all it holds; one that is not there is fine.
pub(crate) fn remove_directory(path: &Path) -> Result<(), Failure> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path, error)),
        _ => Ok(()),
    }
}

/// The files below a directory, relative to it, sorted.
pub(crate) fn list(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| failed("read", &folder, error))?;
        for entry in entries {
            let path = entry
                .map_err(|error| failed("read", &folder, error))?
                .path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(relative) = path.strip_prefix(directory) {
                found.push(relative.to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn failed(verb: &str, path: &Path, error: io::Error) -> Failure {
    Failure::new(format!("cannot {verb} {}", path.display())).because(error)
}
