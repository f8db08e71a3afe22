//! The one place where a child is made, and the list of children this process made itself.
//!
//! The list tells our own children from orphans that the system handed to us, so that ending the
//! orphans of a lost guardian can never end a git process that another thread is waiting for.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use crate::error::ProcessError;
use crate::program::find_program;
use crate::spec::CommandSpec;

static OURS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
static SPAWNING: RwLock<()> = RwLock::new(());

/// A command for `spec` with an exact environment; streams are the caller's choice.
pub(crate) fn command(spec: &CommandSpec) -> Result<Command, ProcessError> {
    let program = if spec.program.components().count() == 1 {
        find_program(&spec.program, spec.search_path()).ok_or_else(|| {
            let program = spec.program.clone();
            ProcessError::ProgramNotFound { program }
        })?
    } else {
        spec.program.clone()
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place where children start"
    )]
    let mut command = Command::new(program);
    command
        .args(&spec.args)
        .current_dir(&spec.cwd)
        .env_clear()
        .envs(&spec.env)
        .stdin(Stdio::null());
    Ok(command)
}

/// Starts `command` and remembers the child until [`wait`].
pub(crate) fn spawn(command: &mut Command, spec: &CommandSpec) -> Result<Child, ProcessError> {
    let shared = SPAWNING.read().unwrap_or_else(PoisonError::into_inner);
    let child = command
        .spawn()
        .map_err(|source| ProcessError::from_spawn(&spec.program, &spec.cwd, source))?;
    ours().insert(child.id());
    drop(shared);
    Ok(child)
}

/// Waits for a child of [`spawn`] and forgets it.
pub(crate) fn wait(child: &mut Child) -> io::Result<ExitStatus> {
    let status = child.wait()?;
    ours().remove(&child.id());
    Ok(status)
}

/// Runs `work` with our own children while no other thread can start one.
#[cfg(unix)]
pub(crate) fn with_ours<T>(work: impl FnOnce(&BTreeSet<u32>) -> T) -> T {
    let _exclusive = SPAWNING.write().unwrap_or_else(PoisonError::into_inner);
    let ours = ours().clone();
    work(&ours)
}

fn ours() -> MutexGuard<'static, BTreeSet<u32>> {
    OURS.lock().unwrap_or_else(PoisonError::into_inner)
}
