//! A database that cannot even be opened: it is put aside and the newest backup takes its place.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_config::Environment;
use orchestra_store::{Store, StoreError};

use super::{Check, Health};
use crate::EngineError;
use crate::backup::backups;
use crate::engine::random_hex;

/// What became of a database that could not be opened.
#[derive(Debug, Clone)]
pub struct Restored {
    /// Where the damaged file was put.
    pub kept: PathBuf,
    /// The backup that took its place; `None` means a new, empty one.
    pub backup: Option<PathBuf>,
}

/// Puts a damaged database aside and restores the newest backup. For a database that cannot even be opened, hence no
/// engine. Answers `None` for one that is whole or was never made.
///
/// # Errors
/// If the database cannot be used for another reason, or the files cannot be moved.
pub fn restore_database(
    environment: &Environment,
    flags: &[(String, String)],
    now: orchestra_core::Timestamp,
) -> Result<Option<Restored>, EngineError> {
    let sources = orchestra_config::Sources {
        environment: environment.clone(),
        flags: flags.to_vec(),
        ..Default::default()
    };
    let database = orchestra_config::load(&sources)?
        .settings
        .core
        .database_path;
    if !database.exists() || !is_damaged(&database)? {
        return Ok(None);
    }
    let kept = database.with_extension(format!("damaged-{}", now.strftime("%Y%m%d-%H%M%S")));
    put_aside(&database, &kept)
        .map_err(|source| EngineError::io("put the damaged database aside", source))?;
    let backup = backups(&database).pop();
    if let Some(backup) = &backup {
        fs::copy(backup, &database)
            .map_err(|source| EngineError::io("restore the backup", source))?;
    }
    Ok(Some(Restored { kept, backup }))
}

fn is_damaged(database: &Path) -> Result<bool, EngineError> {
    let looked = Store::open(database, &random_hex()?).and_then(|store| store.check_integrity());
    match looked {
        Ok(problems) => Ok(!problems.is_empty()),
        Err(StoreError::Damaged { .. }) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// The side files belong to the damaged file: beside another one they would damage that too.
fn put_aside(database: &Path, kept: &Path) -> std::io::Result<()> {
    fs::rename(database, kept)?;
    for suffix in ["-wal", "-shm"] {
        let beside = |path: &Path| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        };
        if beside(database).exists() {
            fs::rename(beside(database), beside(kept))?;
        }
    }
    Ok(())
}

impl Restored {
    /// As a line of the doctor's answer.
    #[must_use]
    pub fn check(&self) -> Check {
        let kept = self.kept.display();
        let fixed = |what: String| {
            let detail = format!("it was damaged and is kept as {kept}; {what}");
            Check::new("database", Health::Fixed, detail)
        };
        match &self.backup {
            Some(backup) => fixed(format!("{} was restored", backup.display())),
            None => fixed("there was no backup, so a new one was made".to_owned()).hint(
                "worktrees and branches are untouched; `orchestra worktree adopt <path>` makes a session of each",
            ),
        }
    }
}
