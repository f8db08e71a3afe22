//! Processes that outlive the one that started them.
//!
//! A new session can only be made by a process itself, without unsafe code in between fork and
//! exec; so the detached program calls [`become_session_leader`] first thing, and
//! [`spawn_detached`] returns once it has.

use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::children;
use crate::error::ProcessError;
use crate::spec::CommandSpec;

/// Starts `spec` with both output streams in `log` and no input, and returns its number once a
/// closing terminal or a killed process group of ours cannot reach it any more.
pub fn spawn_detached(spec: &CommandSpec, log: File) -> Result<u32, ProcessError> {
    let mut command = logged(spec, log)?;
    system::prepare(&mut command);
    let child = children::spawn(&mut command, spec)?;
    let pid = child.id();
    let is_detached = system::wait_until_detached(pid);
    reap_later(child);
    if is_detached {
        Ok(pid)
    } else {
        let program = spec.program.clone();
        Err(ProcessError::NotDetached { program })
    }
}

/// Starts a program of somebody else's, such as a browser, with both output streams in `log` and no input. What
/// interrupts us at the terminal does not reach it.
pub fn spawn_apart(spec: &CommandSpec, log: File) -> Result<(), ProcessError> {
    let mut command = logged(spec, log)?;
    system::keep_apart(&mut command);
    reap_later(children::spawn(&mut command, spec)?);
    Ok(())
}

fn logged(spec: &CommandSpec, log: File) -> Result<Command, ProcessError> {
    let errors = log.try_clone().map_err(|source| ProcessError::Io {
        action: "open the log of a detached program",
        source,
    })?;
    let mut command = children::command(spec)?;
    command.stdout(log).stderr(Stdio::from(errors));
    Ok(command)
}

/// Leaves the session and the process group of whoever started us, and makes orphans below us
/// ours; called first thing by a program that [`spawn_detached`] starts.
pub fn become_session_leader() -> Result<(), ProcessError> {
    system::lead_session().map_err(|source| ProcessError::Io {
        action: "leave the terminal session",
        source,
    })
}

/// Collects the exit code whenever it comes, so that no zombie stays behind.
pub(crate) fn reap_later(mut child: Child) {
    let name = "reap".to_owned();
    let started = thread::Builder::new().name(name).spawn(move || {
        if let Err(error) = children::wait(&mut child) {
            tracing::debug!(%error, "cannot wait for a child");
        }
    });
    if let Err(error) = started {
        tracing::debug!(%error, "cannot start a thread that waits for a child");
    }
}

#[cfg(unix)]
mod system {
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::io::Errno;
    use rustix::process::setsid;

    use crate::{subreaper, table};

    const PATIENCE: Duration = Duration::from_secs(10);

    pub(super) fn prepare(_command: &mut Command) {}

    pub(super) fn keep_apart(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn lead_session() -> io::Result<()> {
        match setsid() {
            Ok(_) | Err(Errno::PERM) => subreaper::adopt_orphans(),
            Err(error) => Err(error.into()),
        }
    }

    /// A child begins in our process group and leads its own once it has left our session. The
    /// session itself is not asked for: one outside our pid namespace has no number. An ended
    /// child keeps its group until it is collected, so one that was quick counts too.
    pub(super) fn wait_until_detached(number: u32) -> bool {
        let deadline = Instant::now() + PATIENCE;
        while let Some(entry) = table::find(number) {
            if entry.group == number {
                return true;
            }
            if entry.is_zombie || Instant::now() >= deadline {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
        }
        false
    }
}

#[cfg(windows)]
mod system {
    use std::io;
    use std::os::windows::process::CommandExt;
    use std::process::Command;

    const DETACHED_PROCESS: u32 = 0x8;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

    pub(super) fn prepare(command: &mut Command) {
        command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
    }

    pub(super) fn keep_apart(command: &mut Command) {
        prepare(command);
    }

    pub(super) fn lead_session() -> io::Result<()> {
        Ok(())
    }

    pub(super) fn wait_until_detached(_number: u32) -> bool {
        true
    }
}
