//! What is in a folder of the data directory.

use std::path::{Path, PathBuf};

use crate::EngineError;

/// Everything directly in a folder, in the order of names; nothing if it is not there.
pub(crate) fn paths_in(directory: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let entries = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries,
    };
    let read = || -> std::io::Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for entry in entries? {
            paths.push(entry?.path());
        }
        paths.sort();
        Ok(paths)
    };
    let failed = |source| EngineError::io(format!("read {}", directory.display()), source);
    read().map_err(failed)
}
