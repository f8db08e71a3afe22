//! Both pipes, the input and the end of the child, watched in one thread.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{Outcome, Output};
use crate::poll;
use crate::spec::{CommandSpec, Stdin};
use crate::tree;

/// How long the pipes may stay open after the child itself ended.
const DRAIN: Duration = Duration::from_millis(250);
const KILL_PATIENCE: Duration = Duration::from_secs(5);
/// How often to ask whether the child ended where the system cannot tell.
const ASK_AGAIN: Duration = Duration::from_millis(10);
const CHUNK: usize = 64 * 1024;

/// Reads and feeds `child` until it ended and its pipes are closed, or a limit is reached; in the
/// latter case its tree is killed. The child is left to be waited for.
pub(super) fn drive(
    child: &mut Child,
    spec: &CommandSpec,
    deadline: Option<Instant>,
    output: &mut Output<'_>,
) -> io::Result<Outcome> {
    let pid = child.id();
    let outcome = Pump::new(child, spec).and_then(|mut pump| pump.run(deadline, output));
    if !matches!(outcome, Ok(Outcome::Ended)) {
        tree::kill_group_and_descendants(pid, KILL_PATIENCE);
    }
    outcome
}

struct Pump<'spec> {
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    stdin: Option<(ChildStdin, &'spec [u8])>,
    end: EndWatch,
    buffer: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Stdout,
    Stderr,
    Stdin,
    End,
}

impl<'spec> Pump<'spec> {
    fn new(child: &mut Child, spec: &'spec CommandSpec) -> io::Result<Self> {
        let stdin = match &spec.stdin {
            Stdin::Bytes(bytes) | Stdin::Open(bytes) => {
                child.stdin.take().map(|pipe| (pipe, bytes.as_slice()))
            }
            Stdin::Empty | Stdin::Inherit => None,
        };
        let pump = Self {
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            stdin,
            end: EndWatch::new(child.id())?,
            buffer: vec![0; CHUNK],
        };
        for (_, fd) in pump.sources().filter(|(source, _)| *source != Source::End) {
            rustix::fs::fcntl_setfl(fd, OFlags::NONBLOCK)?;
        }
        Ok(pump)
    }

    fn run(&mut self, deadline: Option<Instant>, output: &mut Output<'_>) -> io::Result<Outcome> {
        let mut drained_by: Option<Instant> = None;
        loop {
            let until = [deadline, drained_by].into_iter().flatten().min();
            if !self.step(until, output)? {
                return Ok(Outcome::TooLarge);
            }
            if drained_by.is_none() && self.end.has_come()? {
                drained_by = Some(Instant::now() + DRAIN);
            }
            let is_drained = self.stdout.is_none() && self.stderr.is_none();
            let is_over = |when: Option<Instant>| when.is_some_and(|when| Instant::now() >= when);
            if is_drained && drained_by.is_some() {
                return Ok(Outcome::Ended);
            }
            if is_over(drained_by) {
                self.end.kill_group();
                return Ok(Outcome::Ended);
            }
            if is_over(deadline) {
                return Ok(Outcome::TimedOut);
            }
        }
    }

    /// Waits once and moves what is ready; `false` when the output limit was passed.
    fn step(&mut self, until: Option<Instant>, output: &mut Output<'_>) -> io::Result<bool> {
        let mut is_within_limit = true;
        for source in self.wait(until)? {
            match source {
                Source::Stdout => is_within_limit &= self.read_stdout(output)?,
                Source::Stderr => is_within_limit &= self.read_stderr(output)?,
                Source::Stdin => self.feed(),
                Source::End => self.end.is_signalled = true,
            }
        }
        Ok(is_within_limit)
    }

    fn sources(&self) -> impl Iterator<Item = (Source, BorrowedFd<'_>)> {
        let stdout = self
            .stdout
            .as_ref()
            .map(|pipe| (Source::Stdout, pipe.as_fd()));
        let stderr = self
            .stderr
            .as_ref()
            .map(|pipe| (Source::Stderr, pipe.as_fd()));
        let stdin = self
            .stdin
            .as_ref()
            .map(|(pipe, _)| (Source::Stdin, pipe.as_fd()));
        let end = self.end.handle().map(|handle| (Source::End, handle));
        [stdout, stderr, stdin, end].into_iter().flatten()
    }

    fn wait(&self, until: Option<Instant>) -> io::Result<Vec<Source>> {
        let (sources, mut fds): (Vec<Source>, Vec<PollFd<'_>>) = self
            .sources()
            .map(|(source, fd)| {
                let flags = if source == Source::Stdin {
                    PollFlags::OUT
                } else {
                    PollFlags::IN
                };
                (source, PollFd::from_borrowed_fd(fd, flags))
            })
            .unzip();
        let mut wait = until.map(|until| until.saturating_duration_since(Instant::now()));
        if self.end.must_be_asked() {
            wait = Some(wait.map_or(ASK_AGAIN, |wait| wait.min(ASK_AGAIN)));
        }
        poll::wait(&mut fds, wait)?;
        let ready = fds.iter().map(|fd| !fd.revents().is_empty());
        let chosen = sources.into_iter().zip(ready).filter(|(_, ready)| *ready);
        Ok(chosen.map(|(source, _)| source).collect())
    }

    fn read_stdout(&mut self, output: &mut Output<'_>) -> io::Result<bool> {
        match read_ready(self.stdout.as_mut(), &mut self.buffer)? {
            Some(0) => self.stdout = None,
            Some(count) => return Ok(output.push_stdout(&self.buffer[..count])),
            None => {}
        }
        Ok(true)
    }

    fn read_stderr(&mut self, output: &mut Output<'_>) -> io::Result<bool> {
        match read_ready(self.stderr.as_mut(), &mut self.buffer)? {
            Some(0) => self.stderr = None,
            Some(count) => return Ok(output.push_stderr(&self.buffer[..count])),
            None => {}
        }
        Ok(true)
    }

    /// A child that closes its input early has read all it wants: that is its business.
    fn feed(&mut self) {
        if let Some((pipe, rest)) = &mut self.stdin {
            match pipe.write(rest) {
                Ok(count) => *rest = &rest[count..],
                Err(error) if is_temporary(&error) => return,
                Err(_) => *rest = &[],
            }
            if rest.is_empty() {
                self.stdin = None;
            }
        }
    }
}

/// `None`: nothing there yet. `Some(0)`: the end.
fn read_ready(pipe: Option<&mut impl Read>, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    match pipe.map(|pipe| pipe.read(buffer)) {
        None => Ok(Some(0)),
        Some(Ok(count)) => Ok(Some(count)),
        Some(Err(error)) if is_temporary(&error) => Ok(None),
        Some(Err(error)) => Err(error),
    }
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Notices the end of a child without collecting its exit code, so that its number stays taken
/// and the group it leads can still be named.
struct EndWatch {
    pid: Pid,
    handle: Option<OwnedFd>,
    is_signalled: bool,
}

impl EndWatch {
    fn new(pid: u32) -> io::Result<Self> {
        let pid = tree::pid(pid).ok_or(ErrorKind::InvalidInput)?;
        #[cfg(target_os = "linux")]
        let handle = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok();
        #[cfg(not(target_os = "linux"))]
        let handle = None;
        let is_signalled = false;
        Ok(Self {
            pid,
            handle,
            is_signalled,
        })
    }

    /// What to wait for; once it told the end it would do so for ever.
    fn handle(&self) -> Option<BorrowedFd<'_>> {
        let handle = self.handle.as_ref().filter(|_| !self.is_signalled);
        handle.map(AsFd::as_fd)
    }

    fn must_be_asked(&self) -> bool {
        self.handle.is_none() && !self.is_signalled
    }

    fn has_come(&mut self) -> io::Result<bool> {
        if self.must_be_asked() {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            self.is_signalled = waitid(WaitId::Pid(self.pid), options)?.is_some();
        }
        Ok(self.is_signalled)
    }

    fn kill_group(&self) {
        if let Err(error) = kill_process_group(self.pid, Signal::KILL) {
            tracing::debug!(%error, "nothing left in the group of an ended program");
        }
    }
}
