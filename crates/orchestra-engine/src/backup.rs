//! Backups of the database: made by runners now and then, so that a damaged file costs little.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{Engine, EngineError};

/// Whoever finishes an iteration makes a backup if the newest is older than this.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// So many are kept.
const KEPT: usize = 3;
/// Copying a larger database would keep the runner from ending.
const LARGEST: u64 = 512 * 1024 * 1024;
const EXTENSION: &str = "backup";

impl Engine {
    /// Makes a backup if one is due. It never fails the work it follows.
    pub(crate) fn back_up_if_due(&self) {
        if let Err(error) = self.back_up() {
            tracing::warn!(code = error.code(), %error, "no backup of the database was made");
        }
    }

    fn back_up(&self) -> Result<(), EngineError> {
        let database = self.store.path();
        let known = backups(database);
        let is_fresh = |path: &PathBuf| age(path).is_some_and(|age| age < INTERVAL);
        let size = fs::metadata(database).map(|metadata| metadata.len());
        if known.last().is_some_and(is_fresh) || size.is_ok_and(|size| size > LARGEST) {
            return Ok(());
        }
        let stamp = self.now().strftime("%Y%m%d-%H%M%S");
        self.store
            .backup_to(&database.with_extension(format!("{stamp}.{EXTENSION}")))?;
        for old in known.iter().rev().skip(KEPT - 1) {
            fs::remove_file(old)
                .map_err(|source| EngineError::io("remove an old backup", source))?;
        }
        Ok(())
    }
}

/// The backups beside a database, the newest last.
pub(crate) fn backups(database: &Path) -> Vec<PathBuf> {
    let entries = database
        .parent()
        .and_then(|directory| fs::read_dir(directory).ok());
    let files = entries
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path());
    let mut backups: Vec<PathBuf> = files
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == EXTENSION)
        })
        .filter(|path| {
            path.file_stem()
                .is_some_and(|stem| belongs_to(stem, database))
        })
        .collect();
    backups.sort_by_key(|path| {
        fs::metadata(path)
            .and_then(|metadata| metadata.modified())
            .ok()
    });
    backups
}

fn belongs_to(stem: &std::ffi::OsStr, database: &Path) -> bool {
    let name = database.file_stem().unwrap_or_default();
    stem.as_encoded_bytes().starts_with(name.as_encoded_bytes())
}

fn age(path: &Path) -> Option<Duration> {
    fs::metadata(path).ok()?.modified().ok()?.elapsed().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_backup_of_this_database_is_last() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str| directory.path().join(name);
        let old = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        for (name, later) in [
            ("orchestra.2.backup", 2),
            ("orchestra.1.backup", 1),
            ("other.backup", 3),
            ("orchestra.db", 4),
        ] {
            let made = fs::File::create(file(name)).unwrap();
            made.set_modified(old + Duration::from_secs(later)).unwrap();
        }
        assert_eq!(
            backups(&file("orchestra.db")),
            [file("orchestra.1.backup"), file("orchestra.2.backup")]
        );
        assert!(age(&file("orchestra.db")).is_some_and(|age| age > INTERVAL));
    }
}
