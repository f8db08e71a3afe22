//! Who uses a directory: asked before it is moved away or deleted.

use std::path::{Path, PathBuf};

use crate::error::ProcessError;

/// A process that works in a directory or has something open there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessUsing {
    pub pid: u32,
    pub command: String,
    pub why: Use,
}

/// How a process uses a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Use {
    /// It is in there.
    WorkingDirectory(PathBuf),
    OpenFile(PathBuf),
}

/// Every other process that uses `directory` or something below it, as far as this user may see.
#[cfg(target_os = "linux")]
pub fn processes_using(directory: &Path) -> Result<Vec<ProcessUsing>, ProcessError> {
    let directory = std::fs::canonicalize(directory).map_err(|source| {
        let directory = directory.to_path_buf();
        ProcessError::WorkingDirectory { directory, source }
    })?;
    let mut using = Vec::new();
    for entry in crate::table::snapshot() {
        if entry.pid == std::process::id() {
            continue;
        }
        if let Some(why) = find_use(entry.pid, &directory) {
            let command = crate::sweep::command_line(entry.pid);
            using.push(ProcessUsing {
                pid: entry.pid,
                command,
                why,
            });
        }
    }
    Ok(using)
}

#[cfg(not(target_os = "linux"))]
pub fn processes_using(_directory: &Path) -> Result<Vec<ProcessUsing>, ProcessError> {
    let what = "listing the processes that use a directory";
    Err(ProcessError::Unsupported { what })
}

#[cfg(target_os = "linux")]
fn find_use(pid: u32, directory: &Path) -> Option<Use> {
    let inside = |link: &Path| {
        let target = std::fs::read_link(link).ok()?;
        target.starts_with(directory).then_some(target)
    };
    let process = PathBuf::from(format!("/proc/{pid}"));
    if let Some(target) = inside(&process.join("cwd")) {
        return Some(Use::WorkingDirectory(target));
    }
    let mut open = std::fs::read_dir(process.join("fd")).ok()?;
    open.find_map(|link| inside(&link.ok()?.path()))
        .map(Use::OpenFile)
}
