//! What is in a folder of the data directory.

use std::path::{Path, PathBuf};

use crate::EngineError;

/// Everything directly in a folder; nothing if it is not there.
pub(super) fn paths_in(directory: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let entries = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries,
    };
    let read = || -> std::io::Result<Vec<PathBuf>> {
        let paths = entries?.map(|entry| Ok(entry?.path()));
        paths.collect()
    };
    let failed = |source| EngineError::io(format!("read {}", directory.display()), source);
    read().map_err(failed)
}
