//! The file of a store that is made now.

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Whoever closes a file that SQLite has open in the same process drops its locks, so a file is made and closed before any
/// other thread opens it.
static MAKING: Mutex<()> = Mutex::new(());

/// Makes the file for its owner alone, if there is none. SQLite gives its log the permissions that the file has by then, so
/// it is too late to close the file once there is a log.
pub(crate) fn make_private(path: &Path) {
    let _turn = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    if let Err(error) = options.open(path) {
        // It is there, or SQLite tells in a moment why there can be none.
        tracing::trace!(path = %path.display(), %error, "no new file");
    }
}
