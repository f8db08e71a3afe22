//! What the tests share: programs, waiting with a deadline, looking at processes.
//!
//! Processes are looked at through `/proc` directly and not through the crate.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use orchestra_process::{CommandSpec, Guardian, Marker};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

pub(crate) const MARKER: &str = "HOLDER_RUN";

/// A program built from `examples/`, which lies beside the directory of the test program.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let build = test.ancestors().nth(2).unwrap();
    let program = build.join("examples").join(name);
    assert!(program.is_file(), "{} is not built", program.display());
    program
}

pub(crate) fn guardian() -> Guardian {
    Guardian {
        program: example("guardian"),
        args: Vec::new(),
    }
}

pub(crate) fn shape() -> PathBuf {
    example("shapes")
}

pub(crate) fn directory() -> TempDir {
    tempfile::Builder::new()
        .prefix("orchestra-process-")
        .tempdir()
        .unwrap()
}

pub(crate) fn marker(directory: &Path) -> Marker {
    Marker::new(MARKER, directory.to_string_lossy())
}

pub(crate) fn agent(program: &Path, directory: &Path) -> CommandSpec {
    CommandSpec::new(program, directory).env("PATH", "/usr/bin:/bin")
}

/// Whether `condition` comes true within ten seconds.
pub(crate) fn eventually(mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(10);
    while Instant::now() < deadline {
        if condition() {
            return true;
        }
        thread::sleep(Duration::from_millis(10));
    }
    condition()
}

/// Whether a process exists and is not a zombie.
pub(crate) fn alive(pid: u32) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else {
        return false;
    };
    !status
        .lines()
        .any(|line| line.starts_with("State:") && line.contains('Z'))
}

/// Processes that registered in `directory`, were told about it or work in it, and still run.
pub(crate) fn survivors(directory: &Path) -> Vec<String> {
    let wanted = directory.to_str().unwrap();
    pids()
        .filter(|pid| *pid != std::process::id() && alive(*pid))
        .filter(|pid| {
            let told =
                read(*pid, "cmdline").contains(wanted) || read(*pid, "environ").contains(wanted);
            let inside =
                fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|it| it.starts_with(directory));
            told || inside || directory.join(pid.to_string()).exists()
        })
        .map(|pid| format!("{pid}: {}", read(pid, "cmdline").replace('\0', " ")))
        .collect()
}

/// Whether a shape that changes its number too fast to be listed still runs.
pub(crate) fn has_heartbeat(directory: &Path) -> bool {
    let read = || fs::read_to_string(directory.join("heartbeat")).ok();
    let before = read();
    thread::sleep(Duration::from_millis(200));
    before != read()
}

pub(crate) fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").unwrap();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Whether this process has a child with this program name, zombies included.
pub(crate) fn has_children(name: &str) -> bool {
    let ourselves = Some(std::process::id().to_string());
    let parent = |stat: &str| {
        let rest = stat.rsplit(')').next().unwrap_or_default();
        rest.split_whitespace().nth(1).map(str::to_owned)
    };
    pids().any(|pid| {
        let stat = read(pid, "stat");
        stat.contains(&format!("({name})")) && parent(&stat) == ourselves
    })
}

pub(crate) fn read(pid: u32, what: &str) -> String {
    let bytes = fs::read(format!("/proc/{pid}/{what}")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(crate) fn kill(pid: u32) {
    signal(pid, Signal::KILL);
}

pub(crate) fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

#[expect(
    clippy::disallowed_methods,
    reason = "a process of the test, not of the product"
)]
pub(crate) fn command(program: &Path) -> Command {
    Command::new(program)
}

/// A process of the test, killed when the test is done with it or fails.
pub(crate) struct Helper(pub(crate) Child);

impl Helper {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.spawn().unwrap())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// A process that supervises a shape, to be killed; its orphans are collected by another one.
pub(crate) struct Holder {
    _nursery: Helper,
    lines: BufReader<ChildStdout>,
    pub(crate) pid: u32,
    pub(crate) guardians: Vec<u32>,
}

impl Holder {
    pub(crate) fn start(name: &str, directory: &Path) -> Self {
        Self::start_several(1, name, directory)
    }

    pub(crate) fn start_several(count: usize, name: &str, directory: &Path) -> Self {
        let mut command = command(&example("nursery"));
        command
            .arg(example("holder"))
            .arg(count.to_string())
            .arg(example("guardian"))
            .arg(directory)
            .arg(directory)
            .arg(shape())
            .arg(name)
            .arg(directory)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut nursery = Helper::start(&mut command);
        let mut lines = BufReader::new(nursery.0.stdout.take().unwrap());
        let mut next_number = || {
            let mut said = String::new();
            lines.read_line(&mut said).unwrap();
            said.split_whitespace().nth(1).unwrap().parse().unwrap()
        };
        let pid = next_number();
        let guardians = (0..count).map(|_| next_number()).collect();
        Self {
            _nursery: nursery,
            lines,
            pid,
            guardians,
        }
    }

    pub(crate) fn last_words(&mut self) -> String {
        let mut said = String::new();
        self.lines.read_line(&mut said).unwrap();
        said
    }
}
