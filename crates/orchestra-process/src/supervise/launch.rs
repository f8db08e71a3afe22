//! Starting a guardian and handing it its agent.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use super::Guardian;
use super::follow::Supervised;
use super::input::Input;
use super::protocol::{self, Launch, Report};
use crate::error::ProcessError;
use crate::limits::ResourceLimits;
use crate::marker::Marker;
use crate::spec::{CommandSpec, Stdin};
use crate::{children, detach, subreaper};

/// How long a guardian may take to start its agent.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn launch(
    guardian: &Guardian,
    spec: &CommandSpec,
    limits: &ResourceLimits,
    marker: &Marker,
) -> Result<Supervised, ProcessError> {
    let failed = |problem: &'static str| {
        move |source| ProcessError::Guardian {
            program: spec.program.clone(),
            problem,
            source: Some(source),
        }
    };
    subreaper::adopt_orphans().map_err(failed("cannot be backed up"))?;
    let (control, theirs) = UnixStream::pair().map_err(failed("cannot be joined"))?;
    let (agent_input, our_input) = input(&spec.stdin).map_err(failed("has no input for it"))?;
    let mut child = start_guardian(guardian, marker, theirs)?;
    let launch = Launch::new(spec, limits, marker);
    let started = hand_over(&control, agent_input.as_ref(), &launch);
    let pid = match started {
        Ok(Some(Report::Started { pid })) => Ok(pid),
        Ok(Some(Report::Refused { errno })) => {
            let source = io::Error::from_raw_os_error(errno);
            Err(ProcessError::from_spawn(&spec.program, &spec.cwd, source))
        }
        Ok(_) => Err(failed("ended early")(io::ErrorKind::UnexpectedEof.into())),
        Err(error) => Err(failed("does not answer")(error)),
    };
    match pid {
        Ok(pid) => Supervised::new(pid, marker.clone(), child, control, our_input)
            .map_err(failed("cannot be followed")),
        Err(error) => {
            abandon(&mut child);
            detach::reap_later(child);
            Err(error)
        }
    }
}

/// The guardian works in the root directory, so that it does not use the worktree, and has no
/// environment but the marker.
fn start_guardian(
    guardian: &Guardian,
    marker: &Marker,
    control: UnixStream,
) -> Result<Child, ProcessError> {
    let spec = CommandSpec::new(&guardian.program, "/")
        .args(&guardian.args)
        .env(&marker.name, &marker.value);
    let mut command = children::command(&spec)?;
    command
        .stdin(OwnedFd::from(control))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    children::spawn(&mut command, &spec)
}

fn hand_over(
    control: &UnixStream,
    input: Option<&OwnedFd>,
    launch: &Launch,
) -> io::Result<Option<Report>> {
    control.set_read_timeout(Some(PATIENCE))?;
    protocol::send_input(control, input.map(AsFd::as_fd))?;
    protocol::send(control, launch)?;
    let report = protocol::receive(control)?;
    control.set_read_timeout(None)?;
    Ok(report)
}

/// What the agent reads, and what we have to write for it.
fn input(stdin: &Stdin) -> io::Result<(Option<OwnedFd>, Option<Input>)> {
    match stdin {
        Stdin::Empty => Ok((None, None)),
        Stdin::Inherit => Ok((Some(io::stdin().as_fd().try_clone_to_owned()?), None)),
        Stdin::Bytes(bytes) => {
            let (reader, writer) = io::pipe()?;
            let input = Input::new(writer, bytes.clone())?;
            Ok((Some(reader.into()), Some(input)))
        }
    }
}

fn abandon(child: &mut Child) {
    if let Err(error) = child.kill() {
        tracing::debug!(%error, "the guardian has ended already");
    }
}
