//! Looking at processes from outside, to see whether any survived.

use std::path::Path;
use std::time::Duration;

/// Whether a process runs or is stopped; one that is dead and not yet collected is not alive.
pub fn alive(pid: u32) -> bool {
    system::alive(pid)
}

/// The process ids in a file, one a line; none when there is no such file.
pub fn recorded(pid_file: &Path) -> Vec<u32> {
    let text = std::fs::read_to_string(pid_file).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.trim().parse().ok())
        .collect()
}

/// Those of the recorded processes that are alive.
pub fn survivors(pid_file: &Path) -> Vec<u32> {
    recorded(pid_file)
        .into_iter()
        .filter(|pid| alive(*pid))
        .collect()
}

/// Processes whose environment has exactly this variable; where the system does not show it, none.
pub fn with_variable(name: &str, value: &str) -> Vec<u32> {
    system::with_variable(name, value)
}

/// Processes whose command line contains this text, without the caller.
pub fn mentioning(text: &str) -> Vec<u32> {
    system::mentioning(text)
}

/// Ends a process as hard as the system can; one that is gone already is no matter.
pub fn kill(pid: u32) {
    system::kill(pid);
}

/// Ends every process of a group as hard as the system can.
pub fn kill_group(leader: u32) {
    system::kill_group(leader);
}

/// Waits until none of the recorded processes is alive.
///
/// # Panics
/// When some still are at the deadline.
pub fn wait_for_none(pid_file: &Path, deadline: Duration) {
    let what = format!("no process of {} is alive", pid_file.display());
    crate::wait_until(&what, deadline, || survivors(pid_file).is_empty());
}

#[cfg(unix)]
mod signal {
    use rustix::process::{Pid, Signal, kill_process, kill_process_group};

    pub(super) fn kill(pid: u32) {
        if let Some(pid) = known(pid) {
            kill_process(pid, Signal::KILL).ok();
        }
    }

    pub(super) fn kill_group(leader: u32) {
        if let Some(leader) = known(leader) {
            kill_process_group(leader, Signal::KILL).ok();
        }
    }

    /// Never 0 or 1, which mean more than one process.
    fn known(pid: u32) -> Option<Pid> {
        i32::try_from(pid)
            .ok()
            .filter(|pid| *pid > 1)
            .and_then(Pid::from_raw)
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    pub(super) use super::signal::{kill, kill_group};

    pub(super) fn alive(pid: u32) -> bool {
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
            return false;
        };
        // The name in parentheses may hold anything; the state follows its end.
        let state = stat
            .rsplit(')')
            .next()
            .and_then(|rest| rest.trim_start().chars().next());
        !matches!(state, Some('Z' | 'X') | None)
    }

    pub(super) fn with_variable(name: &str, value: &str) -> Vec<u32> {
        let wanted = format!("{name}={value}").into_bytes();
        let matches = |pid: u32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment
                .split(|byte| *byte == 0)
                .any(|entry| entry == wanted)
        };
        all().filter(|pid| matches(*pid) && alive(*pid)).collect()
    }

    pub(super) fn mentioning(text: &str) -> Vec<u32> {
        let matches = |pid: u32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.windows(text.len().max(1))
                .any(|window| window == text.as_bytes())
        };
        all().filter(|pid| matches(*pid)).collect()
    }

    fn all() -> impl Iterator<Item = u32> {
        let own = std::process::id();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(move |pid| *pid != own)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    #[cfg(unix)]
    pub(super) use super::signal::{kill, kill_group};

    #[cfg(not(unix))]
    #[expect(
        clippy::disallowed_methods,
        reason = "asking the system's own tool needs no unsafe code"
    )]
    pub(super) fn kill(pid: u32) {
        let pid = pid.to_string();
        std::process::Command::new("taskkill")
            .args(["/F", "/PID", &pid])
            .output()
            .ok();
    }

    #[cfg(not(unix))]
    #[expect(
        clippy::disallowed_methods,
        reason = "asking the system's own tool needs no unsafe code"
    )]
    pub(super) fn kill_group(leader: u32) {
        let pid = leader.to_string();
        std::process::Command::new("taskkill")
            .args(["/F", "/T", "/PID", &pid])
            .output()
            .ok();
    }

    #[cfg(unix)]
    pub(super) fn alive(pid: u32) -> bool {
        use rustix::process::{Pid, test_kill_process};
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        pid.is_some_and(|pid| test_kill_process(pid).is_ok())
    }

    #[cfg(not(unix))]
    #[expect(
        clippy::disallowed_methods,
        reason = "asking the system's own tool needs no unsafe code"
    )]
    pub(super) fn alive(pid: u32) -> bool {
        let filter = format!("PID eq {pid}");
        let listed = std::process::Command::new("tasklist")
            .args(["/NH", "/FI", &filter])
            .output();
        let wanted = pid.to_string();
        listed.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(&wanted))
    }

    pub(super) fn with_variable(_name: &str, _value: &str) -> Vec<u32> {
        Vec::new()
    }

    pub(super) fn mentioning(_text: &str) -> Vec<u32> {
        Vec::new()
    }
}
