//! What we and the guardian say to each other over their socket.
//!
//! The command travels here and not in arguments or the environment of the guardian, so that a
//! secret for the agent is never visible in the process table.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Stop;
use crate::exit::Exit;
use crate::limits::{Exceeded, LimitLayers, ResourceLimits};
use crate::marker::Marker;
use crate::sandbox::Around;
use crate::spec::CommandSpec;

/// Larger than any argument list and environment that the system accepts.
const LARGEST_MESSAGE: u32 = 64 << 20;
const MOST_FILES: usize = 4;
/// Changes with every message: a guardian may be older than whoever takes over.
const VERSION: u32 = 3;

/// Names and values as bytes, not text.
pub(super) type Variables = Vec<(Vec<u8>, Vec<u8>)>;

/// What the guardian is to start. Names and values are bytes, not text.
#[derive(Serialize, Deserialize)]
pub(super) struct Launch {
    program: Vec<u8>,
    args: Vec<Vec<u8>>,
    cwd: Vec<u8>,
    pub(super) env: Variables,
    pub(super) limits: ResourceLimits,
    pub(super) around: Around,
    /// Where a guardian that outlives us is met.
    meeting: Option<Vec<u8>>,
}

impl Launch {
    pub(super) fn new(spec: &CommandSpec, limits: &ResourceLimits, marker: &Marker) -> Self {
        let bytes = |text: &OsStr| text.as_bytes().to_vec();
        let given = spec.env.iter();
        let mut env: Vec<_> = given
            .map(|(name, value)| (bytes(name), bytes(value)))
            .collect();
        env.push((
            marker.name.clone().into_bytes(),
            marker.value.clone().into_bytes(),
        ));
        Self {
            program: bytes(spec.program.as_os_str()),
            args: spec.args.iter().map(|arg| bytes(arg)).collect(),
            cwd: bytes(spec.cwd.as_os_str()),
            env,
            limits: limits.clone(),
            around: Around::Nothing,
            meeting: None,
        }
    }

    /// What stands between the process to start and the agent.
    pub(super) fn around(mut self, around: Around) -> Self {
        self.around = around;
        self
    }

    pub(super) fn meeting_at(mut self, place: Option<&Path>) -> Self {
        self.meeting = place.map(|place| place.as_os_str().as_bytes().to_vec());
        self
    }

    pub(super) fn meeting(&self) -> Option<PathBuf> {
        let place = self.meeting.clone();
        place.map(|place| OsString::from_vec(place).into())
    }

    pub(super) fn into_spec(self) -> CommandSpec {
        let text = OsString::from_vec;
        let env = self.env.into_iter();
        CommandSpec::new(text(self.program), text(self.cwd))
            .args(self.args.into_iter().map(text))
            .envs(env.map(|(name, value)| (text(name), text(value))))
    }
}

/// From the guardian to whoever takes over, after the files. One of another version may lack any
/// part of it.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Introduction {
    version: u32,
    pub(super) pid: u32,
    env: Variables,
}

impl Introduction {
    pub(super) fn new(pid: u32, env: &Variables) -> Self {
        Self {
            version: VERSION,
            pid,
            env: env.clone(),
        }
    }

    pub(super) fn is_understood(&self) -> bool {
        self.version == VERSION
    }

    /// What the agent was started with.
    pub(super) fn into_environment(self) -> Vec<(OsString, OsString)> {
        let text = OsString::from_vec;
        let env = self.env.into_iter();
        env.map(|(name, value)| (text(name), text(value))).collect()
    }
}

/// From us to the guardian, after the launch.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Order(pub(super) Stop);

/// From the guardian to us.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Report {
    Started {
        pid: u32,
        layers: LimitLayers,
    },
    /// The agent could not be started, for the system's reason of this number.
    Refused {
        errno: i32,
    },
    /// The agent itself ended; what is below it may still run.
    Exited(Exit),
    /// The tree is gone.
    Finished {
        swept: u32,
        survivors: u32,
        exceeded: Option<Exceeded>,
    },
}

/// Sends one message in one piece.
pub(super) fn send(mut socket: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).map_err(|_| ErrorKind::InvalidInput)?;
    let mut frame = length.to_be_bytes().to_vec();
    frame.extend(body);
    socket.write_all(&frame)
}

/// Receives one message; `None` when the other side is gone.
pub(super) fn receive<T: DeserializeOwned>(mut socket: &UnixStream) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    if let Err(error) = socket.read_exact(&mut length) {
        let gone = [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset];
        return if gone.contains(&error.kind()) {
            Ok(None)
        } else {
            Err(error)
        };
    }
    let length = u32::from_be_bytes(length);
    if length > LARGEST_MESSAGE {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length as usize];
    socket.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}

/// Hands over open files, at most four; none is a message too.
pub(super) fn send_files(socket: &UnixStream, files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() && !control.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(ErrorKind::InvalidInput.into());
    }
    let count = u8::try_from(files.len()).map_err(|_| ErrorKind::InvalidInput)?;
    let sent = sendmsg(
        socket,
        &[IoSlice::new(&[count])],
        &mut control,
        SendFlags::empty(),
    )?;
    if sent == 1 {
        Ok(())
    } else {
        Err(ErrorKind::WriteZero.into())
    }
}

/// Takes what [`send_files`] handed over, closed to programs that are started.
pub(super) fn receive_files(socket: &UnixStream) -> io::Result<Vec<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut count = [0];
    let received = recvmsg(
        socket,
        &mut [IoSliceMut::new(&mut count)],
        &mut control,
        RecvFlags::empty(),
    )?;
    let mut files = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(passed) = message {
            files.extend(passed);
        }
    }
    for file in &files {
        fcntl_setfd(file, FdFlags::CLOEXEC)?;
    }
    if received.bytes == 1 && files.len() == usize::from(count[0]) {
        Ok(files)
    } else {
        Err(ErrorKind::UnexpectedEof.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supervise::StopSignal;
    use std::os::fd::AsFd;
    use std::time::Duration;

    #[test]
    fn a_command_arrives_as_it_was_sent() {
        let (here, there) = UnixStream::pair().unwrap();
        let odd = OsString::from_vec(b"\xff\n'\"".to_vec());
        let spec = CommandSpec::new("agent", "/tmp").arg(&odd).env(&odd, "v");
        let marker = Marker::new("RUN", "1");
        send(
            &here,
            &Launch::new(&spec, &ResourceLimits::default(), &marker),
        )
        .unwrap();
        let launch: Launch = receive(&there).unwrap().unwrap();
        assert_eq!(launch.into_spec(), spec.env("RUN", "1"));
    }

    #[test]
    fn a_guardian_of_another_version_is_told_apart() {
        let (here, there) = UnixStream::pair().unwrap();
        let layers = LimitLayers::default();
        send(&here, &Report::Started { pid: 7, layers }).unwrap();
        send(&here, &Introduction::new(7, &Vec::new())).unwrap();
        let is_understood = || {
            let told: Introduction = receive(&there).unwrap().unwrap();
            told.is_understood()
        };
        assert!(!is_understood());
        assert!(is_understood());
    }

    #[test]
    fn orders_arrive_and_a_closed_socket_is_no_message() {
        let (here, there) = UnixStream::pair().unwrap();
        let grace = Duration::from_millis(1500);
        let order = Order(Stop::Graceful {
            signal: StopSignal::Interrupt,
            grace,
        });
        send(&here, &order).unwrap();
        drop(here);
        assert_eq!(receive::<Order>(&there).unwrap(), Some(order));
        assert_eq!(receive::<Order>(&there).unwrap(), None);
    }

    #[test]
    fn files_are_handed_over() {
        let (here, there) = UnixStream::pair().unwrap();
        let (mut read, mut pipe) = (Vec::new(), std::io::pipe().unwrap());
        send_files(&here, &[pipe.0.as_fd(), here.as_fd()]).unwrap();
        let mut passed = receive_files(&there).unwrap().into_iter();
        pipe.1.write_all(b"hello").unwrap();
        drop(pipe);
        std::fs::File::from(passed.next().unwrap())
            .read_to_end(&mut read)
            .unwrap();
        assert_eq!(read, b"hello");
        assert_eq!(passed.count(), 1);
        send_files(&here, &[]).unwrap();
        assert!(receive_files(&there).unwrap().is_empty());
        drop(here);
        assert!(receive_files(&there).is_err());
    }
}
