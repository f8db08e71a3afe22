//! Backups of the database: made by runners now and then, so that a damaged file costs little.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::lease::lock_file;
use crate::{Engine, EngineError};

/// Whoever finishes an iteration makes a backup if the newest is older than this.
const INTERVAL: Duration = Duration::from_secs(5 * 60);
/// Older ones are kept so far apart, so that damage nobody noticed for a while is not in all of them.
const APART: Duration = Duration::from_secs(60 * 60);
/// So many are kept.
const KEPT: usize = 4;
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
        let one_at_a_time = lock_file(&self.dirs.root().join("backup.lock"));
        let one_at_a_time =
            one_at_a_time.map_err(|source| EngineError::io("lock the backups", source))?;
        let database = self.store.path();
        let known = backups(database);
        let is_fresh = |path: &PathBuf| age(path).is_some_and(|age| age < INTERVAL);
        let size = fs::metadata(database).map(|metadata| metadata.len());
        if one_at_a_time.is_none()
            || known.last().is_some_and(is_fresh)
            || size.is_ok_and(|size| size > LARGEST)
        {
            return Ok(());
        }
        let stamp = self.now().strftime("%Y%m%d-%H%M%S");
        self.store
            .backup_to(&database.with_extension(format!("{stamp}.{EXTENSION}")))?;
        for old in superfluous(&known) {
            fs::remove_file(old)
                .map_err(|source| EngineError::io("remove an old backup", source))?;
        }
        Ok(())
    }
}

impl Engine {
    /// Makes a backup of what is there now, and removes those from before.
    pub(crate) fn replace_backups(&self) -> Result<(), EngineError> {
        let one_at_a_time = lock_file(&self.dirs.root().join("backup.lock"));
        let one_at_a_time =
            one_at_a_time.map_err(|source| EngineError::io("lock the backups", source))?;
        if one_at_a_time.is_none() {
            return Err(EngineError::BackupRuns);
        }
        let database = self.store.path();
        let known = backups(database);
        let stamp = self.now().strftime("%Y%m%d-%H%M%S");
        let new = database.with_extension(format!("{stamp}.{EXTENSION}"));
        self.store.backup_to(&new)?;
        for old in known.iter().filter(|old| **old != new) {
            fs::remove_file(old)
                .map_err(|source| EngineError::io("remove an old backup", source))?;
        }
        Ok(())
    }
}

/// How long ago a file was written.
pub(crate) fn age(path: &Path) -> Option<Duration> {
    modified(path)?.elapsed().ok()
}

/// Which of the backups from before are not needed beside a new one: the last, unless it is far enough from the one before
/// it, and the oldest when there are too many.
fn superfluous(known: &[PathBuf]) -> Vec<&PathBuf> {
    let (mut kept, mut dropped): (Vec<_>, Vec<_>) = (known.iter().collect(), Vec::new());
    if let [.., before, last] = kept.as_slice()
        && is_close(before, last)
    {
        dropped.extend(kept.pop());
    }
    let too_many = (kept.len() + 1).saturating_sub(KEPT);
    dropped.extend(kept.drain(..too_many));
    dropped
}

fn is_close(earlier: &Path, later: &Path) -> bool {
    let (earlier, later) = (modified(earlier), modified(later));
    let between = later
        .zip(earlier)
        .and_then(|(later, earlier)| later.duration_since(earlier).ok());
    between.is_some_and(|between| between < APART)
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
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
    backups.sort_by_key(|path| modified(path));
    backups
}

/// Backups are called `<name>.<when or version>.backup`; `a.b.db` is another database than `a.db`.
fn belongs_to(stem: &OsStr, database: &Path) -> bool {
    let name = database.file_stem().unwrap_or_default();
    stem.as_encoded_bytes()
        .strip_prefix(name.as_encoded_bytes())
        .and_then(|rest| rest.strip_prefix(b"."))
        .is_some_and(|rest| !rest.contains(&b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Empty files with these names, each written so many minutes after the first.
    fn written(directory: &Path, files: &[(&str, u64)]) {
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        for (name, minutes) in files {
            let made = fs::File::create(directory.join(name)).unwrap();
            let at = start + Duration::from_secs(minutes * 60);
            made.set_modified(at).unwrap();
        }
    }

    fn names<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        paths.into_iter().map(name).collect()
    }

    #[test]
    fn the_newest_backup_of_this_database_is_last() {
        let directory = tempfile::tempdir().unwrap();
        let files = [
            ("a.2.backup", 2),
            ("a.v1.backup", 1),
            ("ab.1.backup", 3),
            ("a.b.1.backup", 4),
            ("a.backup", 5),
            ("a.db", 6),
        ];
        written(directory.path(), &files);
        let database = directory.path().join("a.db");
        assert_eq!(names(&backups(&database)), ["a.v1.backup", "a.2.backup"]);
        assert!(age(&database).is_some_and(|age| age > INTERVAL));
    }

    #[test]
    fn one_backup_an_hour_is_kept_beside_the_newest() {
        let directory = tempfile::tempdir().unwrap();
        let database = directory.path().join("a.db");
        for minutes in (0..6 * 60).step_by(5) {
            let known = backups(&database);
            for old in superfluous(&known) {
                fs::remove_file(old).unwrap();
            }
            written(
                directory.path(),
                &[(&format!("a.{minutes}.backup"), minutes)],
            );
        }
        let expected = [
            "a.180.backup",
            "a.240.backup",
            "a.300.backup",
            "a.355.backup",
        ];
        assert_eq!(names(&backups(&database)), expected);
    }
}
