//! Starting a guardian and handing it its agent.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Stdio;
use std::time::Duration;

use super::follow::{Streams, Supervised};
use super::guarding::Guarding;
use super::input::Input;
use super::protocol::{self, Launch, Report};
use super::{Guardian, Meeting, OnLoss, meeting};
use crate::error::ProcessError;
use crate::limits::LimitLayers;
use crate::marker::Marker;
use crate::sandbox::Bounds;
use crate::spec::{CommandSpec, Stdin};
use crate::{children, subreaper};

/// How long a guardian may take to start its agent.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn launch(
    guardian: &Guardian,
    spec: &CommandSpec,
    bounds: &Bounds,
    marker: &Marker,
    on_loss: OnLoss,
) -> Result<Supervised, ProcessError> {
    let failed = |problem| move |source| failure(spec, problem, source);
    let sandbox = bounds.sandbox.as_ref();
    let wrapped = sandbox.map(|sandbox| sandbox.wrap(spec)).transpose()?;
    subreaper::adopt_orphans().map_err(failed("cannot be backed up"))?;
    let (control, theirs) = UnixStream::pair().map_err(failed("cannot be joined"))?;
    let (agent_input, our_input) = input(&spec.stdin).map_err(failed("has no input for it"))?;
    let (guarding, streams) = start_guardian(guardian, marker, theirs)?;
    let keeping = Keeping::prepare(on_loss);
    let place = keeping.as_ref().map(|keeping| &*keeping.meeting.place);
    let launch = match &wrapped {
        Some(wrapped) => Launch::new(&wrapped.spec, &bounds.limits, marker).around(wrapped.around),
        None => Launch::new(spec, &bounds.limits, marker),
    };
    let launch = launch.meeting_at(place);
    let answer = hand_over(&control, agent_input.as_ref(), &launch)
        .and_then(|()| hand_kept(&control, keeping.as_ref(), &streams))
        .and_then(|()| answer(&control));
    match agent_started(spec, answer) {
        Ok((pid, layers)) => {
            let marker = marker.clone();
            Ok(Supervised::new(pid, marker, guarding, control, streams, our_input).held_by(layers))
        }
        Err(error) => {
            abandon(guarding);
            Err(error)
        }
    }
}

fn agent_started(
    spec: &CommandSpec,
    answer: io::Result<Option<Report>>,
) -> Result<(u32, LimitLayers), ProcessError> {
    match answer {
        Ok(Some(Report::Started { pid, layers })) => Ok((pid, layers)),
        Ok(Some(Report::Refused { errno })) => {
            let source = io::Error::from_raw_os_error(errno);
            Err(ProcessError::from_spawn(&spec.program, &spec.cwd, source))
        }
        Ok(_) => {
            let source = io::ErrorKind::UnexpectedEof.into();
            Err(failure(spec, "ended early", source))
        }
        Err(error) => Err(failure(spec, "does not answer", error)),
    }
}

fn failure(spec: &CommandSpec, problem: &'static str, source: io::Error) -> ProcessError {
    ProcessError::Guardian {
        program: spec.program.clone(),
        problem,
        source: Some(source),
    }
}

/// What a guardian needs to go on without us.
struct Keeping {
    meeting: Meeting,
    listener: UnixListener,
}

impl Keeping {
    fn prepare(on_loss: OnLoss) -> Option<Self> {
        let OnLoss::Keep(meeting) = on_loss else {
            return None;
        };
        match meeting::listen(&meeting.place) {
            Ok(listener) => Some(Self { meeting, listener }),
            Err(error) => {
                tracing::warn!(%error, place = %meeting.place.display(), "a guardian cannot be met here");
                None
            }
        }
    }
}

/// The guardian works in the root directory, so that it does not use the worktree, and has no
/// environment but the marker.
fn start_guardian(
    guardian: &Guardian,
    marker: &Marker,
    control: UnixStream,
) -> Result<(Guarding, Streams), ProcessError> {
    let spec = CommandSpec::new(&guardian.program, "/")
        .args(&guardian.args)
        .env(&marker.name, &marker.value);
    let mut command = children::command(&spec)?;
    command
        .stdin(OwnedFd::from(control))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = children::spawn(&mut command, &spec)?;
    let streams = Streams::of(&mut child);
    let guarding = Guarding::Here(child);
    match streams {
        Ok(streams) => Ok((guarding, streams)),
        Err(source) => {
            abandon(guarding);
            Err(failure(&spec, "has no output", source))
        }
    }
}

fn hand_over(control: &UnixStream, input: Option<&OwnedFd>, launch: &Launch) -> io::Result<()> {
    let input: Vec<_> = input.map(AsFd::as_fd).into_iter().collect();
    protocol::send_files(control, &input)?;
    protocol::send(control, launch)
}

fn hand_kept(control: &UnixStream, keeping: Option<&Keeping>, streams: &Streams) -> io::Result<()> {
    let Some(Keeping { meeting, listener }) = keeping else {
        return Ok(());
    };
    let files = [
        streams.stdout.as_fd(),
        streams.stderr.as_fd(),
        listener.as_fd(),
        meeting.held.as_fd(),
    ];
    protocol::send_files(control, &files)
}

fn answer(control: &UnixStream) -> io::Result<Option<Report>> {
    control.set_read_timeout(Some(PATIENCE))?;
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
            let input = Input::whole(writer, bytes.clone())?;
            Ok((Some(reader.into()), Some(input)))
        }
        Stdin::Open(bytes) => {
            let (reader, writer) = io::pipe()?;
            let input = Input::open(writer, bytes.clone())?;
            Ok((Some(reader.into()), Some(input)))
        }
    }
}

fn abandon(mut guarding: Guarding) {
    guarding.kill();
    guarding.collect_later();
}
