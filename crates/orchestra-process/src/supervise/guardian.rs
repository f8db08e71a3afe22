//! The guardian process: starts one agent and leaves nothing of it behind.
//!
//! One thread and hardly any memory, because there is one for every running agent.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, kill_process_group};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

use super::protocol::{self, Launch, Order, Report};
use super::{Stop, StopSignal};
use crate::error::ProcessError;
use crate::exit::Exit;
use crate::table::Entry;
use crate::tree::{self, Killed};
use crate::{children, poll, subreaper};

/// How long what is below an agent may take once the agent itself followed a polite request.
const STRAGGLERS: Duration = Duration::from_millis(500);
const KILL_PATIENCE: Duration = Duration::from_secs(10);

/// The whole life of a guardian, for a program that was started as one by `supervise`.
pub fn guardian_main() -> ExitCode {
    match guard() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn guard() -> io::Result<()> {
    leave_terminal()?;
    subreaper::adopt_orphans()?;
    let signals = Signals::listen()?;
    let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let input = protocol::receive_input(&control)?;
    let launch: Launch = protocol::receive(&control)?.ok_or(ErrorKind::UnexpectedEof)?;
    match start(launch, input) {
        Ok(agent) => {
            let pid = agent.as_raw_pid().unsigned_abs();
            let mut watch = Watch {
                control,
                signals,
                agent,
                exit: None,
                deadline: None,
            };
            watch.report(&Report::Started { pid });
            watch.run()
        }
        Err(errno) => protocol::send(&control, &Report::Refused { errno }),
    }
}

/// So that neither Ctrl-C reaches us nor a prompt of the agent reaches the user's terminal.
fn leave_terminal() -> io::Result<()> {
    match rustix::process::setsid() {
        Ok(_) | Err(Errno::PERM) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn start(launch: Launch, input: Option<OwnedFd>) -> Result<Pid, i32> {
    let number = |error: &io::Error| error.raw_os_error().unwrap_or(Errno::IO.raw_os_error());
    launch.limits.apply().map_err(|error| number(&error))?;
    let spec = launch.into_spec();
    let refused = |error: ProcessError| match error {
        ProcessError::ProgramNotFound { .. } => Errno::NOENT.raw_os_error(),
        ProcessError::NotExecutable { source, .. }
        | ProcessError::WorkingDirectory { source, .. }
        | ProcessError::Spawn { source, .. } => number(&source),
        _ => Errno::IO.raw_os_error(),
    };
    let mut command = children::command(&spec).map_err(refused)?;
    command
        .stdin(input.map_or_else(Stdio::null, Stdio::from))
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit())
        .process_group(0);
    let child = children::spawn(&mut command, &spec).map_err(refused)?;
    tree::pid(child.id()).ok_or(Errno::IO.raw_os_error())
}

/// Signals as bytes in a socket, so that one wait covers them and the control socket.
struct Signals {
    child_ended: UnixStream,
    told_to_end: UnixStream,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            child_ended: Self::stream(&[SIGCHLD])?,
            told_to_end: Self::stream(&[SIGTERM, SIGINT, SIGHUP])?,
        })
    }

    fn stream(signals: &[i32]) -> io::Result<UnixStream> {
        let (stream, signalled) = UnixStream::pair()?;
        for signal in signals {
            signal_hook::low_level::pipe::register(*signal, signalled.try_clone()?)?;
        }
        stream.set_nonblocking(true)?;
        Ok(stream)
    }
}

struct Watch {
    control: UnixStream,
    signals: Signals,
    agent: Pid,
    exit: Option<Exit>,
    /// Set by a polite request to stop.
    deadline: Option<Instant>,
}

enum Children {
    Some,
    None,
}

impl Watch {
    fn run(&mut self) -> io::Result<()> {
        let killed = loop {
            if matches!(self.reap(), Children::None) && subreaper::ADOPTS_ORPHANS {
                break Killed::default();
            }
            if self.is_time_to_kill() || self.wait()? {
                break self.kill_tree();
            }
        };
        let survivors = killed.survivors;
        self.report(&Report::Finished {
            swept: killed.killed,
            survivors,
        });
        Ok(())
    }

    fn is_time_to_kill(&self) -> bool {
        match self.deadline {
            Some(deadline) => Instant::now() >= deadline,
            None => self.exit.is_some(),
        }
    }

    /// Waits for something to happen; `true` when the tree is to be killed now.
    fn wait(&mut self) -> io::Result<bool> {
        let longest = self
            .deadline
            .map(|it| it.saturating_duration_since(Instant::now()));
        let streams = [
            &self.control,
            &self.signals.child_ended,
            &self.signals.told_to_end,
        ];
        let mut fds = streams.map(|stream| PollFd::new(stream, PollFlags::IN));
        poll::wait(&mut fds, longest)?;
        let [ordered, child_ended, told_to_end] = fds.map(|fd| !fd.revents().is_empty());
        if child_ended {
            self.discard_signals()?;
        }
        Ok(told_to_end || (ordered && self.obey()))
    }

    fn discard_signals(&mut self) -> io::Result<()> {
        match self.signals.child_ended.read(&mut [0; 256]) {
            Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error),
            _ => Ok(()),
        }
    }

    /// Reads an order; `true` when the tree is to be killed now, also because nobody is left to
    /// give orders.
    fn obey(&mut self) -> bool {
        let Ok(Some(Order(Stop::Graceful { signal, grace }))) = protocol::receive(&self.control)
        else {
            return true;
        };
        match signal {
            StopSignal::Terminate => self.signal_agent(Signal::TERM),
            StopSignal::Interrupt => self.signal_agent(Signal::INT),
        }
        // A stopped process would not hear the request.
        self.signal_agent(Signal::CONT);
        let deadline = Instant::now().checked_add(grace);
        self.deadline = [self.deadline, deadline].into_iter().flatten().min();
        false
    }

    /// An agent may have left its group. One that has ended shows at the next look.
    fn signal_agent(&self, signal: Signal) {
        if kill_process_group(self.agent, signal).is_err()
            && let Err(error) = kill_process(self.agent, signal)
        {
            tracing::debug!(%error, "the agent has ended already");
        }
    }

    /// Collects every child that ended, adopted ones too.
    fn reap(&mut self) -> Children {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.agent => self.agent_ended(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return Children::Some,
                Err(_) => return Children::None,
            }
        }
    }

    fn agent_ended(&mut self, status: WaitStatus) {
        let exit = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => return,
        };
        self.exit = Some(exit);
        let stragglers = Instant::now() + STRAGGLERS;
        self.deadline = self.deadline.map(|deadline| deadline.min(stragglers));
        self.report(&Report::Exited(exit));
    }

    /// Kills everything below us; the agent itself is not counted.
    ///
    /// A process that keeps starting its successor and ending can hide from a look at the table,
    /// but not from the count of our children.
    fn kill_tree(&mut self) -> Killed {
        let agent_runs = self.exit.is_none();
        let started = Instant::now();
        let mut total = Killed::default();
        loop {
            let killed = tree::kill_all(KILL_PATIENCE, |table| {
                self.reap();
                self.below(table)
            });
            total.killed = total.killed.saturating_add(killed.killed);
            total.survivors = killed.survivors;
            let is_done = matches!(self.reap(), Children::None);
            if is_done || total.survivors > 0 || started.elapsed() > KILL_PATIENCE {
                break;
            }
        }
        total.killed = total.killed.saturating_sub(u32::from(agent_runs));
        total
    }

    fn below(&self, table: &[Entry]) -> Vec<Entry> {
        let mut victims = tree::descendants(table, &BTreeSet::from([std::process::id()]));
        if !subreaper::ADOPTS_ORPHANS {
            let group = self.agent.as_raw_pid().unsigned_abs();
            let strays = table.iter().filter(|entry| entry.group == group);
            victims.extend(strays.copied());
        }
        victims
    }

    /// When nobody hears us the socket is closed, which ends the tree anyway.
    fn report(&self, report: &Report) {
        if let Err(error) = protocol::send(&self.control, report) {
            tracing::debug!(%error, "nobody to report to");
        }
    }
}
