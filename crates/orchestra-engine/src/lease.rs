//! Leases: who works on a session. The operating system answers, so a dead process never looks alive.
//!
//! Two locked files per session. `start` is held while a face prepares work (a worktree, an iteration to be handed to a
//! runner), `run` by the runner itself. The face lets `start` go only after the runner has `run`, so there is no moment
//! in which living work looks abandoned.
//!
//! Servers run beside that work, so they have files of their own: `servers` is held while a face starts or ends any of
//! them, `server-<name>` by the runner of one. The guardian of a server holds a file of the same name in another directory,
//! for as long as it lives: a server whose runner died goes on under it.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orchestra_core::SessionId;
use orchestra_core::status::Lease;

/// The lease files of all sessions.
#[derive(Debug, Clone)]
pub(crate) struct Leases {
    directory: PathBuf,
}

/// A lock that is held until this value goes away or the process ends.
#[derive(Debug)]
pub(crate) struct Held {
    file: File,
}

impl Held {
    /// The file that is locked: whoever has it, or a copy of it, holds the lock.
    pub(crate) fn into_file(self) -> File {
        self.file
    }
}

impl Leases {
    pub(crate) fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// The right to prepare work on a session; `None` if somebody works on it or prepares to. That it cannot be told is an
    /// error: whoever works would be disturbed.
    pub(crate) fn try_start(&self, session: &SessionId) -> io::Result<Option<Held>> {
        let Some(start) = self.lock_unless_held(session, "start")? else {
            return Ok(None);
        };
        let is_held = self.is_held(session, "run")?;
        Ok((!is_held).then_some(start))
    }

    /// The runner's own lease. Readers that look at it hold it for an instant, hence the patience.
    pub(crate) fn run(&self, session: &SessionId, patience: Duration) -> io::Result<Option<Held>> {
        self.lock_within(session, "run", patience)
    }

    /// The right to start and end servers of a session; `None` if somebody else is at it.
    pub(crate) fn try_servers(&self, session: &SessionId) -> io::Result<Option<Held>> {
        self.lock_unless_held(session, "servers")
    }

    /// The lease of a server's own runner.
    pub(crate) fn server(
        &self,
        session: &SessionId,
        name: &str,
        patience: Duration,
    ) -> io::Result<Option<Held>> {
        self.lock_within(session, &kind_of_server(name), patience)
    }

    /// Whether a server has a living runner.
    pub(crate) fn server_state(&self, session: &SessionId, name: &str) -> Lease {
        self.state_of(session, &kind_of_server(name))
    }

    /// Whether anybody works on a session or prepares to.
    pub(crate) fn state(&self, session: &SessionId) -> Lease {
        match self.state_of(session, "run") {
            Lease::Free => self.state_of(session, "start"),
            other => other,
        }
    }

    /// The sessions that somebody works on or may work on, by the files alone.
    pub(crate) fn at_work(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten();
        let names = entries.flatten().map(|entry| entry.file_name());
        let held: BTreeSet<String> = names
            .filter_map(|name| {
                let (session, kind) = name.to_str()?.split_once('.')?;
                let session: SessionId = session.parse().ok()?;
                let is_held = self.state_of(&session, kind) != Lease::Free;
                is_held.then(|| session.to_string())
            })
            .collect();
        held.into_iter().collect()
    }

    /// Whether a runner has taken over.
    pub(crate) fn has_runner(&self, session: &SessionId) -> bool {
        self.state_of(session, "run") == Lease::Held
    }

    fn state_of(&self, session: &SessionId, kind: &str) -> Lease {
        match self.is_held(session, kind) {
            Ok(true) => Lease::Held,
            Ok(false) => Lease::Free,
            Err(_) => Lease::Unknown,
        }
    }

    fn is_held(&self, session: &SessionId, kind: &str) -> io::Result<bool> {
        let file = match File::open(self.path(session, kind)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Whoever only looks holds a lock for an instant; that is no reason to give up.
    fn lock_unless_held(&self, session: &SessionId, kind: &str) -> io::Result<Option<Held>> {
        loop {
            let held = self.try_lock(session, kind)?;
            if held.is_some() || self.state_of(session, kind) != Lease::Free {
                return Ok(held);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn lock_within(
        &self,
        session: &SessionId,
        kind: &str,
        patience: Duration,
    ) -> io::Result<Option<Held>> {
        let deadline = Instant::now() + patience;
        loop {
            if let Some(held) = self.try_lock(session, kind)? {
                return Ok(Some(held));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn try_lock(&self, session: &SessionId, kind: &str) -> io::Result<Option<Held>> {
        lock_file(&self.path(session, kind))
    }

    fn path(&self, session: &SessionId, kind: &str) -> PathBuf {
        self.directory.join(format!("{session}.{kind}"))
    }
}

fn kind_of_server(name: &str) -> String {
    format!("server-{}", plain_name(name))
}

/// A name may have letters that a file's cannot; no two names become one.
pub(crate) fn plain_name(name: &str) -> String {
    let mut plain = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => plain.push(char::from(byte)),
            other => plain.push_str(&format!("%{other:02x}")),
        }
    }
    plain
}

/// Locks a file, creating it and its directory if needed; `None` if somebody else has it.
pub(crate) fn lock_file(path: &Path) -> io::Result<Option<Held>> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Held { file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leases() -> (tempfile::TempDir, Leases, SessionId) {
        let directory = tempfile::tempdir().unwrap();
        let leases = Leases::new(directory.path().join("leases"));
        (directory, leases, SessionId::from_random([7; 8]))
    }

    #[test]
    fn only_one_prepares_and_only_while_nobody_runs() {
        let (_directory, leases, session) = leases();
        assert_eq!(leases.state(&session), Lease::Free);
        let start = leases.try_start(&session).unwrap().unwrap();
        assert!(leases.try_start(&session).unwrap().is_none());
        assert_eq!(leases.state(&session), Lease::Held);
        let run = leases.run(&session, Duration::ZERO).unwrap().unwrap();
        drop(start);
        assert!(leases.has_runner(&session));
        assert_eq!(leases.at_work(), [session.to_string()]);
        assert!(leases.try_start(&session).unwrap().is_none());
        assert!(
            leases
                .run(&session, Duration::from_millis(20))
                .unwrap()
                .is_none()
        );
        drop(run);
        assert_eq!(leases.state(&session), Lease::Free);
        assert!(leases.at_work().is_empty());
        assert!(leases.try_start(&session).unwrap().is_some());
    }

    #[test]
    fn whoever_only_looks_is_not_in_the_way() {
        let (_directory, leases, session) = leases();
        drop(leases.try_start(&session).unwrap());
        let reader = File::open(leases.path(&session, "start")).unwrap();
        reader.try_lock_shared().unwrap();
        let looked = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            drop(reader);
        });
        assert!(leases.try_start(&session).unwrap().is_some());
        looked.join().unwrap();
    }

    #[test]
    fn servers_and_other_work_do_not_wait_for_each_other() {
        let (_directory, leases, session) = leases();
        let dev = leases.server(&session, "dev", Duration::ZERO).unwrap();
        assert!(dev.is_some());
        assert_eq!(leases.server_state(&session, "dev"), Lease::Held);
        assert_eq!(leases.server_state(&session, "../dev"), Lease::Free);
        assert_eq!(leases.state(&session), Lease::Free);
        assert!(leases.try_start(&session).unwrap().is_some());
        assert_eq!(leases.at_work(), [session.to_string()]);
        let odd = leases.server(&session, "../dev", Duration::ZERO).unwrap();
        assert!(odd.is_some(), "a name is no path");
        let more = leases.server(&session, "dev", Duration::ZERO).unwrap();
        assert!(more.is_none());
        let servers = leases.try_servers(&session).unwrap();
        assert!(servers.is_some());
        assert!(leases.try_servers(&session).unwrap().is_none());
    }

    #[test]
    #[cfg(unix)]
    fn a_lease_that_cannot_be_asked_is_unknown() {
        let (_directory, leases, session) = leases();
        // A link to itself cannot be opened, whoever asks.
        let run = leases.path(&session, "run");
        fs::create_dir_all(run.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&run, &run).unwrap();
        assert_eq!(leases.state(&session), Lease::Unknown);
        assert!(leases.try_start(&session).is_err(), "nobody may begin");
    }
}
