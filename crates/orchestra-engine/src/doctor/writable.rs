//! Whether a directory takes files: a full or read-only disk shows only when something is written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::EngineError;

/// As much as the smallest change of a database needs.
const ENOUGH: [u8; 4096] = [0; 4096];

/// Writes a small file to the disk and removes it again.
pub(super) fn require_writable(directory: &Path) -> Result<(), EngineError> {
    let file = directory.join(format!(".orchestra-doctor-{}", std::process::id()));
    let written = write(&file);
    let removed = match fs::remove_file(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    written
        .and(removed)
        .map_err(|source| EngineError::io(format!("write to {}", directory.display()), source))
}

fn write(file: &Path) -> io::Result<()> {
    let mut file = File::create_new(file)?;
    file.write_all(&ENOUGH)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_behind() {
        let directory = tempfile::tempdir().unwrap();
        require_writable(directory.path()).unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        let missing = directory.path().join("missing");
        let error = require_writable(&missing).unwrap_err().to_string();
        assert!(error.contains("write to"), "{error}");
    }
}
