//! Housekeeping in a process of its own, now and then. No command waits for it.

use orchestra_config::{DataDirs, Sources};
use orchestra_process::{CommandSpec, spawn_detached};

use crate::backup::age;
use crate::engine::GC_MODE;
use crate::places::{open_append_only, write_private};
use crate::{EngineError, OpenOptions};

const STAMP: &str = "gc.stamp";

/// Starts the housekeeping if the last one is longer ago than the setting says, and answers whether it did.
///
/// # Errors
/// If the settings cannot be read or the process cannot be started.
pub fn start_gc_if_due(options: &OpenOptions) -> Result<bool, EngineError> {
    let settings = orchestra_config::load(&Sources {
        environment: options.environment.clone(),
        repository: options.repository.clone(),
        flags: options.flags.clone(),
    })?;
    let Some(interval) = settings.settings.git.worktree_gc_interval else {
        return Ok(false);
    };
    let dirs = DataDirs::of(&options.environment)?;
    let last = age(&dirs.root().join(STAMP));
    let is_due = last.is_some_and(|age| age >= interval);
    if last.is_none() || is_due {
        // Whoever comes next need not start another one; and what was only just begun has nothing to tidy up.
        stamp(&dirs)?;
    }
    if is_due {
        start(options, &dirs)?;
    }
    Ok(is_due)
}

/// Notes that the housekeeping is being done.
pub(super) fn stamp(dirs: &DataDirs) -> Result<(), EngineError> {
    let path = dirs.root().join(STAMP);
    write_private(&path, b"", 0o600)
        .map_err(|source| EngineError::io(format!("write {}", path.display()), source))
}

fn start(options: &OpenOptions, dirs: &DataDirs) -> Result<(), EngineError> {
    let log = open_append_only(&dirs.gc_log())
        .map_err(|source| EngineError::io("open the log of the housekeeping", source))?;
    let flags = options
        .flags
        .iter()
        .map(|(key, value)| format!("{key}={value}"));
    let spec = CommandSpec::new(&options.program, dirs.root())
        .arg(GC_MODE)
        .args(flags)
        .envs(options.environment.iter());
    spawn_detached(&spec, log)?;
    Ok(())
}
