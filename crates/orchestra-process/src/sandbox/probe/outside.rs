//! The side of the probe that is not in the sandbox: it sets up what is to be reached, and listens.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Answer, MODE, Probe, ProbeRecord, Targets, Task, failed};
use crate::error::ProcessError;
use crate::identity::ProcessIdentity;
use crate::near::near;
use crate::sandbox::{Bounds, SANDBOX_MODE, own_socket};
use crate::spec::{CommandSpec, Stdin};
use crate::supervise::{Ended, OnLoss, ProcessEvent, Supervised, supervise_within};

/// How long a probe may take.
const PATIENCE: Duration = Duration::from_secs(60);
const MOST_SECRETS: usize = 20;

pub(super) fn run(probe: &Probe<'_>) -> Result<ProbeRecord, ProcessError> {
    let started = Instant::now();
    let mut listening = Listening::start(probe.targets).map_err(|error| failed(&error))?;
    let layers = probe.sandbox.layers.names();
    let task = Task {
        targets: existing(probe.targets),
        layers: layers.clone(),
        secret_files: secret_files(&probe.targets.secrets),
        process: ProcessIdentity::current(),
        port: listening.port,
        sockets: listening.named(),
        late_socket: listening.late.clone(),
    };
    let answer = ask(probe, &task, &mut listening)?;
    let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(ProbeRecord {
        layers,
        attempts: answer.attempts,
        commit_failure: answer.commit_failure,
        reaches_late_sockets: answer.reaches_late_sockets,
        milliseconds,
    })
}

fn ask(probe: &Probe<'_>, task: &Task, listening: &mut Listening) -> Result<Answer, ProcessError> {
    let task = serde_json::to_vec(task).map_err(|error| failed(&error))?;
    let spec = CommandSpec::new(&probe.sandbox.helper, &probe.targets.workspace)
        .args([SANDBOX_MODE, MODE])
        .stdin(Stdin::Bytes(task));
    let bounds = Bounds {
        sandbox: Some(probe.sandbox.clone()),
        ..Bounds::default()
    };
    let Probe {
        guardian, marker, ..
    } = probe;
    let mut inside = supervise_within(guardian, &spec, &bounds, marker, OnLoss::End)?;
    let (stdout, stderr, ended) = listen(&mut inside, listening)?;
    if !ended.exit.is_success() {
        let said = String::from_utf8_lossy(&stderr);
        let said = said.trim();
        return Err(failed(&format!("it ended with {}: {said}", ended.exit)));
    }
    serde_json::from_slice(&stdout).map_err(|error| failed(&error))
}

fn listen(
    inside: &mut Supervised,
    listening: &mut Listening,
) -> Result<(Vec<u8>, Vec<u8>, Ended), ProcessError> {
    let deadline = Instant::now() + PATIENCE;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    loop {
        match inside.next(deadline.saturating_duration_since(Instant::now())) {
            Some(ProcessEvent::Stdout(bytes)) => {
                stdout.extend(bytes);
                listening.make_late();
            }
            Some(ProcessEvent::Stderr(bytes)) => stderr.extend(bytes),
            Some(ProcessEvent::Exited(ended)) => return Ok((stdout, stderr, ended)),
            None => return Err(failed(&format!("it took longer than {PATIENCE:?}"))),
        }
    }
}

/// What is not there cannot be reached.
fn existing(targets: &Targets) -> Targets {
    let other_worktree = targets.other_worktree.clone();
    Targets {
        other_worktree: other_worktree.filter(|path| path.exists()),
        ..targets.clone()
    }
}

/// A file of each secret, since the names in a directory are no secret.
fn secret_files(secrets: &[PathBuf]) -> Vec<PathBuf> {
    let files = secrets.iter().filter_map(|secret| file_in(secret, 3));
    files.take(MOST_SECRETS).collect()
}

fn file_in(path: &Path, depth: u32) -> Option<PathBuf> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if metadata.is_file() {
        return Some(path.to_path_buf());
    }
    if !metadata.is_dir() || depth == 0 {
        return None;
    }
    let mut entries = fs::read_dir(path).ok()?.flatten();
    entries.find_map(|entry| file_in(&entry.path(), depth - 1))
}

/// A port and sockets that somebody outside listens at.
struct Listening {
    port: u16,
    _tcp: TcpListener,
    sockets: Vec<(&'static str, Socket)>,
    /// Where one is to be made once the program runs.
    late: Option<PathBuf>,
    late_socket: Option<Socket>,
}

impl Listening {
    /// In a hidden directory, and where the program can read. A directory that nobody can write to has no socket.
    fn start(targets: &Targets) -> io::Result<Self> {
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = tcp.local_addr()?.port();
        let place = |directory: &Path| directory.join(own_socket::name(&port.to_string()));
        let mut sockets = vec![("a socket", Socket::make(place(&targets.outside))?)];
        for (how, directory) in [
            ("a socket in the home directory", &targets.home),
            ("a socket in the main checkout", &targets.main_checkout),
        ] {
            let made = Socket::make(place(directory));
            sockets.extend(made.ok().map(|socket| (how, socket)));
        }
        let late = sockets.get(1).and_then(|(_, socket)| socket.0.parent());
        let late = late.map(|directory| directory.join(own_socket::name(&format!("{port}-late"))));
        Ok(Self {
            port,
            _tcp: tcp,
            sockets,
            late,
            late_socket: None,
        })
    }

    fn named(&self) -> Vec<(String, PathBuf)> {
        let sockets = self.sockets.iter();
        let named = sockets.map(|(how, socket)| ((*how).to_owned(), socket.0.clone()));
        named.collect()
    }

    /// One that cannot be made any more is not reached, either.
    fn make_late(&mut self) {
        if let Some(late) = &self.late
            && self.late_socket.is_none()
        {
            self.late_socket = Socket::make(late.clone()).ok();
        }
    }
}

/// A socket that is removed again.
struct Socket(
    PathBuf,
    #[expect(dead_code, reason = "it listens")] UnixListener,
);

impl Socket {
    fn make(place: PathBuf) -> io::Result<Self> {
        let listener = near(&place, |place| UnixListener::bind(place))?;
        Ok(Self(place, listener))
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0) {
            tracing::warn!(%error, "the socket of a probe stays");
        }
    }
}
