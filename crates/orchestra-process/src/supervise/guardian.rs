//! The guardian process: starts one agent and leaves nothing of it behind.
//!
//! One thread and hardly any memory, because there is one for every running agent.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, kill_process_group};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

use super::kept::Kept;
use super::protocol::{self, Launch, Order, Report};
use super::{Stop, StopSignal};
use crate::error::ProcessError;
use crate::exit::Exit;
use crate::limits::{Exceeded, Limiter};
use crate::sandbox::Around;
use crate::table::{self, Entry};
use crate::tree::{self, Killed};
use crate::{children, poll, subreaper};

/// How long what is below an agent may take once the agent itself followed a polite request.
const STRAGGLERS: Duration = Duration::from_millis(500);
const KILL_PATIENCE: Duration = Duration::from_secs(10);
/// How often one that was left alone looks whether it can still be met.
const LOOK: Duration = Duration::from_secs(1);

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
    let input = protocol::receive_files(&control)?.pop();
    let launch: Launch = protocol::receive(&control)?.ok_or(ErrorKind::UnexpectedEof)?;
    let (meeting, around) = (launch.meeting(), launch.around);
    let kept = meeting
        .map(|place| Kept::receive(&control, place, launch.env.clone()))
        .transpose()?;
    match start(launch, input) {
        Ok((agent, limiter)) => {
            let pid = agent.as_raw_pid().unsigned_abs();
            let layers = limiter.layers();
            let mut watch = Watch {
                control: Some(control),
                kept,
                signals,
                agent,
                around,
                exit: None,
                deadline: None,
                limiter,
                exceeded: None,
            };
            watch.report(&Report::Started { pid, layers });
            watch.run()
        }
        Err(errno) => {
            kept.iter().for_each(Kept::leave);
            protocol::send(&control, &Report::Refused { errno })
        }
    }
}

/// So that neither Ctrl-C reaches us nor a prompt of the agent reaches the user's terminal.
fn leave_terminal() -> io::Result<()> {
    match rustix::process::setsid() {
        Ok(_) | Err(Errno::PERM) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn start(launch: Launch, input: Option<OwnedFd>) -> Result<(Pid, Limiter), i32> {
    let number = |error: &io::Error| error.raw_os_error().unwrap_or(Errno::IO.raw_os_error());
    let limited = Limiter::step_in(&launch.limits);
    let mut limiter = limited.map_err(|error| number(&error))?;
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
    let agent = tree::pid(child.id()).ok_or(Errno::IO.raw_os_error())?;
    limiter.step_out(agent);
    Ok((agent, limiter))
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
    /// Who follows the agent, until that is lost.
    control: Option<UnixStream>,
    /// What keeps the agent when nobody follows it.
    kept: Option<Kept>,
    signals: Signals,
    agent: Pid,
    /// What is between the agent and its program.
    around: Around,
    exit: Option<Exit>,
    /// Set by a polite request to stop.
    deadline: Option<Instant>,
    limiter: Limiter,
    /// The limit for which the tree is killed.
    exceeded: Option<Exceeded>,
}

enum Children {
    Some,
    None,
}

/// What happened while the guardian waited.
struct Woken {
    ordered: bool,
    called: bool,
    child_ended: bool,
    told_to_end: bool,
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
        let exceeded = self.exceeded.or_else(|| self.limiter.told_by_kernel());
        self.limiter.end();
        self.tell_the_end(&Report::Finished {
            swept: killed.killed,
            survivors: killed.survivors,
            exceeded,
        })
    }

    /// Somebody has to hear how it ended, if anybody can come.
    fn tell_the_end(&mut self, end: &Report) -> io::Result<()> {
        let mut is_heard = self.report(end);
        if !is_heard {
            self.kept.iter().for_each(Kept::show_end);
        }
        while !is_heard && self.kept.as_ref().is_some_and(Kept::is_found) {
            self.control = None;
            let woken = self.sleep(Some(LOOK))?;
            if woken.told_to_end {
                break;
            }
            if woken.child_ended {
                self.discard_signals()?;
            }
            if woken.called {
                self.meet();
                is_heard = self.report(end);
            }
        }
        self.let_go();
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
        let until_deadline = self
            .deadline
            .map(|it| it.saturating_duration_since(Instant::now()));
        let until_call = self.control.is_none().then_some(LOOK);
        let until_look = self.limiter.until_look();
        let waits = [until_deadline, until_call, until_look];
        let longest = waits.into_iter().flatten().min();
        let woken = self.sleep(longest)?;
        if woken.child_ended {
            self.discard_signals()?;
        }
        let is_over = woken.ordered && self.obey();
        if woken.called {
            self.meet();
        }
        Ok(woken.told_to_end || is_over || self.is_forsaken() || self.is_over_limit())
    }

    /// A limit that is found to be exceeded while the tree is killed anyway is not the reason.
    fn is_over_limit(&mut self) -> bool {
        let agent = self.agent;
        self.exceeded = self.limiter.look(|| below(&table::snapshot(), agent));
        self.exceeded.is_some()
    }

    fn sleep(&self, longest: Option<Duration>) -> io::Result<Woken> {
        let Signals {
            child_ended,
            told_to_end,
        } = &self.signals;
        // Nothing is asked of the stand-in for one that is not there.
        let nobody = (child_ended.as_fd(), PollFlags::empty());
        let wanted = |fd| (fd, PollFlags::IN);
        let control = self.control.as_ref().map(AsFd::as_fd);
        let kept = self.kept.as_ref().map(Kept::as_fd);
        let mut fds = [
            control.map_or(nobody, wanted),
            kept.map_or(nobody, wanted),
            wanted(child_ended.as_fd()),
            wanted(told_to_end.as_fd()),
        ]
        .map(|(fd, flags): (BorrowedFd<'_>, _)| PollFd::from_borrowed_fd(fd, flags));
        poll::wait(&mut fds, longest)?;
        let [ordered, called, child_ended, told_to_end] = fds.map(|fd| !fd.revents().is_empty());
        Ok(Woken {
            ordered,
            called,
            child_ended,
            told_to_end,
        })
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
        let order = self.control.as_ref().map(protocol::receive);
        let (signal, grace) = match order {
            Some(Ok(Some(Order(Stop::Graceful { signal, grace })))) => (signal, grace),
            Some(Ok(Some(Order(Stop::Kill)))) => {
                // Whoever wants it gone need not hear that it is.
                self.let_go();
                return true;
            }
            Some(Ok(None) | Err(_)) | None => return self.is_left_alone(),
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

    /// Nobody follows the agent any more; `true` when it is not to be kept.
    fn is_left_alone(&mut self) -> bool {
        self.control = None;
        self.kept.iter().for_each(Kept::make_room);
        self.kept.is_none()
    }

    /// Nobody is to be met any more.
    fn let_go(&mut self) {
        if let Some(kept) = self.kept.take() {
            kept.leave();
        }
    }

    /// Nobody follows the agent, and nobody could.
    fn is_forsaken(&self) -> bool {
        self.control.is_none() && !self.kept.as_ref().is_some_and(Kept::is_found)
    }

    /// Takes whoever calls for the one who follows the agent from now on, unless there is one.
    fn meet(&mut self) {
        let Some(Ok(caller)) = self.kept.as_ref().map(Kept::caller) else {
            return;
        };
        if self.control.is_none() && self.introduce(&caller).is_ok() {
            self.control = Some(caller);
        }
    }

    fn introduce(&self, caller: &UnixStream) -> io::Result<()> {
        let pid = self.agent.as_raw_pid().unsigned_abs();
        self.kept
            .iter()
            .try_for_each(|kept| kept.hand_out(caller, pid))?;
        match self.exit {
            Some(exit) => protocol::send(caller, &Report::Exited(exit)),
            None => Ok(()),
        }
    }

    /// An agent may have left its group. One that has ended shows at the next look.
    fn signal_agent(&self, signal: Signal) {
        let inside = match self.around {
            Around::Nothing => None,
            Around::Namespaces => program_inside(&table::snapshot(), self.agent),
        };
        let (group, program) = inside.unwrap_or((self.agent, self.agent));
        if kill_process_group(group, signal).is_err()
            && let Err(error) = kill_process(program, signal)
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
        self.deadline = match (self.deadline, self.around) {
            // The kernel ends what is in namespaces with their first process.
            (None, Around::Namespaces) => Some(stragglers),
            (deadline, _) => deadline.map(|deadline| deadline.min(stragglers)),
        };
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
                below(table, self.agent)
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

    /// Whether anybody hears it. One that is not heard sees the socket close as well.
    fn report(&self, report: &Report) -> bool {
        let sent = self.control.as_ref().map(|it| protocol::send(it, report));
        matches!(sent, Some(Ok(())))
    }
}

/// The group and the number of the program in namespaces, once it is there. Below the agent is the first process of the
/// namespaces, and the first below that is the program; the first process has none of the signals that ask to end.
fn program_inside(table: &[Entry], agent: Pid) -> Option<(Pid, Pid)> {
    let first_below = |parent: u32| {
        let children = table.iter().filter(move |entry| entry.parent == parent);
        children.min_by_key(|entry| (entry.started, entry.pid))
    };
    let first = first_below(agent.as_raw_pid().unsigned_abs())?;
    let program = first_below(first.pid)?;
    Some((tree::pid(program.group)?, tree::pid(program.pid)?))
}

/// Everything that descends from this guardian.
fn below(table: &[Entry], agent: Pid) -> Vec<Entry> {
    let mut found = tree::descendants(table, &BTreeSet::from([std::process::id()]));
    if !subreaper::ADOPTS_ORPHANS {
        let group = agent.as_raw_pid().unsigned_abs();
        let strays = table.iter().filter(|entry| entry.group == group);
        found.extend(strays.copied());
    }
    found
}
