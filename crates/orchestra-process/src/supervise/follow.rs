//! Following an agent from this side of the guardian.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;

use super::guarding::Guarding;
use super::input::{Input, is_temporary};
use super::protocol::{self, Order, Report};
use super::{Ended, ProcessEvent, Stop};
use crate::exit::Exit;
use crate::limits::{Exceeded, LimitLayers};
use crate::marker::Marker;
use crate::poll;
use crate::tree::Killed;

/// How long a pipe that something unkillable holds open is waited for.
const DRAIN: Duration = Duration::from_secs(2);
const CHUNK: usize = 64 * 1024;
const KILLED: Exit = Exit::Signal(9);

/// An agent that runs under a guardian. Dropping it ends the agent and its whole tree.
///
/// Nothing is read ahead: an agent whose output nobody takes waits.
#[derive(Debug)]
pub struct Supervised {
    agent: u32,
    environment: Vec<(OsString, OsString)>,
    layers: LimitLayers,
    marker: Marker,
    /// Taken when the guardian has ended and was collected.
    guardian: Option<Guarding>,
    control: Arc<UnixStream>,
    stdout: Option<File>,
    stderr: Option<File>,
    input: Option<Input>,
    buffer: Vec<u8>,
    waiting: VecDeque<ProcessEvent>,
    exit: Option<Exit>,
    finished: Option<Killed>,
    guardian_lost: bool,
    exceeded: Option<Exceeded>,
    drained_by: Option<Instant>,
    is_over: bool,
}

/// Where the output of an agent is read, without waiting for it.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

impl Streams {
    pub(super) fn new(stdout: OwnedFd, stderr: OwnedFd) -> io::Result<Self> {
        for pipe in [&stdout, &stderr] {
            rustix::fs::fcntl_setfl(pipe, OFlags::NONBLOCK)?;
        }
        Ok(Self { stdout, stderr })
    }

    /// Those of a child that was started with pipes.
    pub(super) fn of(child: &mut Child) -> io::Result<Self> {
        match (child.stdout.take(), child.stderr.take()) {
            (Some(stdout), Some(stderr)) => Self::new(stdout.into(), stderr.into()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Stops an agent from any thread, also while another one waits in [`Supervised::next`].
#[derive(Debug, Clone)]
pub struct Stopper {
    control: Arc<UnixStream>,
}

impl Supervised {
    pub(super) fn new(
        agent: u32,
        marker: Marker,
        guardian: Guarding,
        control: UnixStream,
        streams: Streams,
        input: Option<Input>,
    ) -> Self {
        Self {
            agent,
            environment: Vec::new(),
            layers: LimitLayers::default(),
            marker,
            guardian: Some(guardian),
            control: Arc::new(control),
            stdout: Some(streams.stdout.into()),
            stderr: Some(streams.stderr.into()),
            input,
            buffer: vec![0; CHUNK],
            waiting: VecDeque::new(),
            exit: None,
            finished: None,
            guardian_lost: false,
            exceeded: None,
            drained_by: None,
            is_over: false,
        }
    }

    pub(super) fn started_with(mut self, environment: Vec<(OsString, OsString)>) -> Self {
        self.environment = environment;
        self
    }

    pub(super) fn held_by(mut self, layers: LimitLayers) -> Self {
        self.layers = layers;
        self
    }

    /// What holds the tree to its limits; nothing is known of one that was taken over.
    pub fn limit_layers(&self) -> LimitLayers {
        self.layers
    }

    /// What an agent that was taken over had been started with; nothing of one that we started.
    pub fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    /// The number of the agent itself.
    pub fn pid(&self) -> u32 {
        self.agent
    }

    /// The number of the guardian, until it has ended; not of one that was met.
    pub fn guardian_pid(&self) -> Option<u32> {
        self.guardian.as_ref().and_then(Guarding::pid)
    }

    /// The next event, or `None` when there is none within `wait` or after the last.
    pub fn next(&mut self, wait: Duration) -> Option<ProcessEvent> {
        let deadline = Instant::now().checked_add(wait);
        loop {
            if self.waiting.is_empty() && !self.is_over {
                self.step(deadline);
            }
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            if self.is_over || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return None;
            }
        }
    }

    /// Gives an agent that was started with [`Stdin::Open`](crate::Stdin::Open) more to read. It is written while
    /// events are waited for; without effect when the agent reads no more.
    pub fn send(&mut self, bytes: &[u8]) {
        if let Some(input) = &mut self.input {
            input.add(bytes);
        }
    }

    /// Ends what the agent reads, once it has all that was sent.
    pub fn close_input(&mut self) {
        if let Some(input) = &mut self.input {
            input.close();
        }
    }

    /// Ends the agent; how it ended comes as an event.
    pub fn stop(&self, how: Stop) {
        self.stopper().stop(how);
    }

    /// Leaves the agent to a guardian that keeps it, for somebody else to take over. Any other
    /// guardian ends it.
    pub fn let_go(mut self) {
        if let Some(guardian) = self.guardian.take() {
            self.close_control();
            guardian.collect_later();
        }
    }

    pub fn stopper(&self) -> Stopper {
        Stopper {
            control: Arc::clone(&self.control),
        }
    }

    /// Waits once, and queues what became of it.
    fn step(&mut self, deadline: Option<Instant>) {
        let until = [deadline, self.drained_by].into_iter().flatten().min();
        let ready = self.wait(until).unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot wait for an agent");
            Ready::default()
        });
        if ready.stdout {
            let bytes = read_ready(&mut self.stdout, &mut self.buffer);
            self.waiting.extend(bytes.map(ProcessEvent::Stdout));
        }
        if ready.stderr {
            let bytes = read_ready(&mut self.stderr, &mut self.buffer);
            self.waiting.extend(bytes.map(ProcessEvent::Stderr));
        }
        if let Some(input) = self.input.as_mut().filter(|_| ready.input) {
            input.feed();
        }
        self.input = self.input.take().filter(|input| !input.is_over());
        if ready.control {
            self.hear();
        }
        let is_late = self
            .drained_by
            .is_some_and(|drained_by| Instant::now() >= drained_by);
        let is_drained = self.stdout.is_none() && self.stderr.is_none();
        if self.guardian.is_none() && (is_drained || (is_late && self.waiting.is_empty())) {
            self.finish();
        }
    }

    fn wait(&self, until: Option<Instant>) -> io::Result<Ready> {
        let nothing = PollFlags::empty();
        let open = |is_open: bool, flags| if is_open { flags } else { nothing };
        let control = self.control.as_fd();
        let stdout = self.stdout.as_ref().map_or(control, AsFd::as_fd);
        let stderr = self.stderr.as_ref().map_or(control, AsFd::as_fd);
        let input = self.input.as_ref().map_or(control, Input::as_fd);
        let listens = self.guardian.is_some();
        let feeds = self.input.as_ref().is_some_and(Input::has_more);
        let wanted = [
            (control, open(listens, PollFlags::IN)),
            (stdout, open(self.stdout.is_some(), PollFlags::IN)),
            (stderr, open(self.stderr.is_some(), PollFlags::IN)),
            (input, open(feeds, PollFlags::OUT)),
        ];
        let wanted = wanted.into_iter().filter(|(_, flags)| *flags != nothing);
        let mut fds: Vec<PollFd<'_>> = wanted
            .map(|(fd, flags)| PollFd::from_borrowed_fd(fd, flags))
            .collect();
        poll::wait(
            &mut fds,
            until.map(|until| until.saturating_duration_since(Instant::now())),
        )?;
        let mut ready = fds.iter().map(|fd| !fd.revents().is_empty());
        let mut is_ready = |is_wanted: bool| is_wanted && ready.next().unwrap_or(false);
        Ok(Ready {
            control: is_ready(listens),
            stdout: is_ready(self.stdout.is_some()),
            stderr: is_ready(self.stderr.is_some()),
            input: is_ready(feeds),
        })
    }

    fn hear(&mut self) {
        match protocol::receive(&self.control) {
            Ok(Some(Report::Exited(exit))) => self.exit = Some(exit),
            Ok(Some(Report::Finished {
                swept,
                survivors,
                exceeded,
            })) => {
                self.exceeded = exceeded;
                self.finished = Some(Killed {
                    killed: swept,
                    survivors,
                });
            }
            Ok(Some(Report::Started { .. } | Report::Refused { .. })) => {}
            Ok(None) | Err(_) => self.guardian_ended(),
        }
    }

    /// Whoever still holds a [`Stopper`] gives no more orders.
    fn close_control(&self) {
        if let Err(error) = self.control.shutdown(std::net::Shutdown::Both) {
            tracing::debug!(%error, "the guardian has ended already");
        }
    }

    /// The guardian must be collected before its orphans are looked for: only then are they ours.
    fn guardian_ended(&mut self) {
        if let Some(mut guardian) = self.guardian.take() {
            self.guardian_lost = self.finished.is_none();
            if self.guardian_lost {
                guardian.kill();
            }
            guardian.collect();
            if self.guardian_lost {
                tracing::warn!(agent = self.agent, "the guardian of an agent was lost");
                let mut killed = guardian.end_orphans(&self.marker);
                killed.killed = killed.killed.saturating_sub(u32::from(self.exit.is_none()));
                self.finished = Some(killed);
            }
        }
        self.input = None;
        self.drained_by = Some(Instant::now() + DRAIN);
    }

    fn finish(&mut self) {
        let killed = self.finished.unwrap_or_default();
        self.is_over = true;
        self.waiting.push_back(ProcessEvent::Exited(Ended {
            exit: self.exit.unwrap_or(KILLED),
            swept: killed.killed,
            survivors: killed.survivors,
            guardian_lost: self.guardian_lost,
            exceeded: self.exceeded,
        }));
    }
}

/// The guardian is told, since it might go on if its socket just closed.
impl Drop for Supervised {
    fn drop(&mut self) {
        if let Some(guardian) = self.guardian.take() {
            self.stop(Stop::Kill);
            self.close_control();
            guardian.collect_later();
        }
    }
}

impl Stopper {
    /// Ends the agent; without effect when it has ended.
    pub fn stop(&self, how: Stop) {
        if let Err(error) = protocol::send(&self.control, &Order(how)) {
            tracing::debug!(%error, "nothing left to stop");
        }
    }
}

#[derive(Default)]
struct Ready {
    control: bool,
    stdout: bool,
    stderr: bool,
    input: bool,
}

/// What is there; the pipe is dropped at its end.
fn read_ready<P: Read>(pipe: &mut Option<P>, buffer: &mut [u8]) -> Option<Vec<u8>> {
    match pipe.as_mut()?.read(buffer) {
        Ok(count @ 1..) => return Some(buffer[..count].to_vec()),
        Err(error) if is_temporary(&error) => {}
        Ok(_) | Err(_) => *pipe = None,
    }
    None
}
