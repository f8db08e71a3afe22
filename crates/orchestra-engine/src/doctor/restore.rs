//! A database that cannot even be opened: it is put aside and the newest whole backup takes its place.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_config::{DataDirs, Sources, variables};
use orchestra_core::Timestamp;
use orchestra_process::{processes_using, processes_with_marker_prefix, sweep_marked};
use orchestra_store::{Store, StoreError};

use super::{Diagnosis, Health};
use crate::backup::{age, backups};
use crate::engine::random_hex;
use crate::lease::Leases;
use crate::{EngineError, OpenOptions};

/// What became of a database that could not be opened.
#[derive(Debug, Clone)]
pub(super) struct Restored {
    /// Where the damaged file was put; `None` if it was gone.
    kept: Option<PathBuf>,
    /// The backup that took its place; `None` means a new, empty one.
    backup: Option<PathBuf>,
    /// How old the backup was.
    age: Option<Duration>,
    /// Processes of runs the damaged database knew of, whose runner was gone.
    ended: u32,
}

/// Puts a damaged database aside and restores the newest backup that is whole, also where the database is gone. For one that
/// cannot even be opened, hence no engine. Answers `None` for one that is whole or was never made.
///
/// # Errors
/// If an agent is at work, the database cannot be used for another reason, or the files cannot be moved.
pub(super) fn restore_database(options: &OpenOptions) -> Result<Option<Restored>, EngineError> {
    let environment = &options.environment;
    let sources = Sources {
        environment: environment.clone(),
        flags: options.flags.clone(),
        ..Default::default()
    };
    let settings = orchestra_config::load(&sources)?.settings;
    let database = settings.core.database_path;
    let dirs = DataDirs::of(environment)?;
    let is_needed = || Ok::<_, EngineError>(is_lost(&database, &dirs) || is_damaged(&database)?);
    if !is_needed()? {
        return Ok(None);
    }
    let _lock =
        lock_to_restore(&dirs).map_err(|source| EngineError::io("lock the database", source))?;
    // Somebody else may have restored it meanwhile.
    if !is_needed()? {
        return Ok(None);
    }
    require_rest(&dirs)?;
    forget_guardians(&dirs)?;
    restore(&database, options.clock.now()).map(Some)
}

/// The new file is whole before the damaged one goes: whenever this is cut off, there is something to restore again.
fn restore(database: &Path, now: Timestamp) -> Result<Restored, EngineError> {
    // Not named like the database's own copies, of which opening an older version makes one.
    let mut fresh = database.as_os_str().to_owned();
    fresh.push(".restoring");
    let fresh = PathBuf::from(fresh);
    let backup = copy_newest_whole(database, &fresh)?;
    let ended = begin_anew(&fresh)?;
    let stamp = now.strftime("%Y%m%d-%H%M%S");
    let kept = database.with_extension(format!("damaged-{stamp}"));
    put_aside(database, &kept)
        .and_then(|()| fs::rename(&fresh, database))
        .map_err(|source| EngineError::io("put the damaged database aside", source))?;
    Ok(Restored {
        kept: kept.exists().then_some(kept),
        age: backup.as_deref().and_then(age),
        backup,
        ended,
    })
}

/// Makes sure that a database is not taken for one that was never made.
///
/// # Errors
/// If it is gone or empty although there was one.
pub(crate) fn require_not_lost(database: &Path, dirs: &DataDirs) -> Result<(), EngineError> {
    if is_lost(database, dirs) {
        let (path, reason) = (database.to_owned(), "it is gone or empty".to_owned());
        return Err(StoreError::Damaged { path, reason }.into());
    }
    Ok(())
}

/// A database that is not there, or empty, though it once had sessions: its backups or their output still are.
fn is_lost(database: &Path, dirs: &DataDirs) -> bool {
    let is_empty = fs::metadata(database).map_or(true, |facts| facts.len() == 0);
    let has_output = || {
        database.parent() == Some(dirs.root())
            && fs::read_dir(dirs.output()).is_ok_and(|mut entries| entries.next().is_some())
    };
    is_empty && (!backups(database).is_empty() || has_output())
}

fn is_damaged(database: &Path) -> Result<bool, EngineError> {
    if !database.exists() {
        return Ok(false);
    }
    let looked = Store::open(database, &random_hex()?).and_then(|store| store.check_integrity());
    match looked {
        Ok(problems) => Ok(!problems.is_empty()),
        Err(StoreError::Damaged { .. }) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

fn lock_to_restore(dirs: &DataDirs) -> io::Result<File> {
    let path = dirs.root().join("restore.lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)?;
    file.lock()?;
    Ok(file)
}

/// A runner would go on writing to the file that was put aside.
fn require_rest(dirs: &DataDirs) -> Result<(), EngineError> {
    let sessions = Leases::new(dirs.leases()).at_work();
    if sessions.is_empty() {
        return Ok(());
    }
    let runners = processes_using(&dirs.leases()).unwrap_or_default();
    Err(EngineError::AtWork {
        sessions,
        runners: runners.iter().map(|runner| runner.pid).collect(),
    })
}

/// What goes on without a runner would be known to nobody: a guardian that cannot be met any more ends it.
fn forget_guardians(dirs: &DataDirs) -> Result<(), EngineError> {
    match fs::remove_dir_all(dirs.guards()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(EngineError::io("forget the guardians of servers", error))
        }
        _ => Ok(()),
    }
}

/// Copies the newest backup that can be opened. Without one nothing is there afterwards.
fn copy_newest_whole(database: &Path, fresh: &Path) -> Result<Option<PathBuf>, EngineError> {
    let failed = |source| EngineError::io("copy the backup", source);
    for backup in backups(database).into_iter().rev() {
        remove_with_side_files(fresh).map_err(failed)?;
        fs::copy(&backup, fresh).map_err(failed)?;
        if !is_damaged(fresh)? {
            return Ok(Some(backup));
        }
        tracing::warn!(backup = %backup.display(), "this backup cannot be used");
    }
    remove_with_side_files(fresh).map_err(failed)?;
    Ok(None)
}

/// Sequence numbers that were given after the backup are given again, hence the new name. What runs under the old one is
/// looked for now, because nobody will know that name any more.
fn begin_anew(fresh: &Path) -> Result<u32, EngineError> {
    let epoch = random_hex()?;
    let store = Store::open(fresh, &epoch)?;
    let before = store.epoch()?;
    if before == epoch {
        return Ok(0);
    }
    let mut ended = 0;
    for process in processes_with_marker_prefix(variables::ORCHESTRA_RUN, &format!("{before}:")) {
        ended += sweep_marked(&process.marker).killed;
    }
    store.begin_epoch(&epoch)?;
    Ok(ended)
}

/// The side files belong to the damaged file: beside another one they would damage that too. The file itself stays where
/// it is until the new one takes its place.
fn put_aside(database: &Path, kept: &Path) -> io::Result<()> {
    if database.exists() {
        // Not every file system has links.
        fs::hard_link(database, kept).or_else(|_| fs::copy(database, kept).map(drop))?;
    }
    for suffix in SIDE_FILES {
        match fs::rename(beside(database, suffix), beside(kept, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

const SIDE_FILES: [&str; 2] = ["-wal", "-shm"];

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn remove_with_side_files(path: &Path) -> io::Result<()> {
    for suffix in SIDE_FILES.into_iter().chain([""]) {
        match fs::remove_file(beside(path, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

impl Restored {
    /// As a line of the doctor's answer.
    pub(super) fn check(&self) -> Diagnosis {
        let found = match &self.kept {
            Some(kept) => format!("it was damaged and is kept as {}", kept.display()),
            None => "it was gone".to_owned(),
        };
        let ended = match self.ended {
            0 => String::new(),
            count => format!("; ended {count} process(es) of ended runs"),
        };
        let fixed = |what: String| {
            let detail = format!("{found}; {what}{ended}");
            Diagnosis::new("database", Health::Fixed, detail)
        };
        match &self.backup {
            Some(backup) => {
                let age = self.age.map_or_else(|| "of unknown age".to_owned(), in_words);
                fixed(format!("{} was restored, {age}", backup.display())).hint(
                    "what was recorded since is lost; work in git and in worktrees is not",
                )
            }
            None => fixed("there was no backup, so a new one was made".to_owned()).hint(
                "worktrees and branches are untouched; `orchestra worktree adopt <path>` makes a session of each",
            ),
        }
    }
}

fn in_words(age: Duration) -> String {
    let seconds = age.as_secs();
    let (count, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7_200 => (seconds / 60, "minute"),
        7_200..172_800 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural} old")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_the_unit_that_suits_them() {
        for (seconds, words) in [
            (1, "1 second old"),
            (119, "119 seconds old"),
            (300, "5 minutes old"),
            (7_200, "2 hours old"),
            (200_000, "2 days old"),
        ] {
            assert_eq!(in_words(Duration::from_secs(seconds)), words);
        }
    }
}
