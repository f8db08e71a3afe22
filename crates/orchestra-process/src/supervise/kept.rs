//! What lets an agent outlive the runner that follows it, in its guardian.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

use super::meeting;
use super::protocol::{self, Introduction, Variables};

/// The other ends of the agent's output, so that it can go on writing, and a place to be met at.
pub(super) struct Kept {
    place: PathBuf,
    /// Which file is there: another one at the same place would lead to somebody else.
    file: (u64, u64),
    stdout: OwnedFd,
    stderr: OwnedFd,
    listener: UnixListener,
    /// What the agent was started with.
    env: Variables,
    _held: OwnedFd,
}

impl Kept {
    pub(super) fn receive(
        control: &UnixStream,
        place: PathBuf,
        env: Variables,
    ) -> io::Result<Self> {
        let files = protocol::receive_files(control)?;
        let [stdout, stderr, listener, held] =
            <[_; 4]>::try_from(files).map_err(|_| ErrorKind::InvalidData)?;
        Ok(Self {
            file: identity(&fs::symlink_metadata(&place)?),
            place,
            stdout,
            stderr,
            listener: listener.into(),
            env,
            _held: held,
        })
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// Whoever wants to take over; one may have gone again.
    pub(super) fn caller(&self) -> io::Result<UnixStream> {
        let (caller, _address) = self.listener.accept()?;
        caller.set_nonblocking(false)?;
        Ok(caller)
    }

    /// Gives the agent's output to whoever takes over, and tells of the agent.
    pub(super) fn hand_out(&self, caller: &UnixStream, agent: u32) -> io::Result<()> {
        protocol::send_files(caller, &[self.stdout.as_fd(), self.stderr.as_fd()])?;
        protocol::send(caller, &Introduction::new(agent, &self.env))
    }

    /// Whether anybody can still find us.
    pub(super) fn is_found(&self) -> bool {
        match fs::symlink_metadata(&self.place) {
            Ok(found) => identity(&found) == self.file,
            Err(error) => {
                let gone = [ErrorKind::NotFound, ErrorKind::NotADirectory];
                !gone.contains(&error.kind())
            }
        }
    }

    /// An agent whose output nobody takes waits when the pipe is full, so it becomes larger.
    pub(super) fn make_room(&self) {
        for pipe in [&self.stdout, &self.stderr] {
            if let Err(error) = widen(pipe) {
                tracing::debug!(%error, "a pipe stays as it is");
            }
        }
    }

    /// Shows whoever only looks that the agent has ended.
    pub(super) fn show_end(&self) {
        if let Err(error) = File::create(meeting::sign_of_end(&self.place)) {
            tracing::debug!(%error, "nobody sees that the agent has ended");
        }
    }

    pub(super) fn leave(&self) {
        if self.is_found()
            && let Err(error) = meeting::forget(&self.place)
        {
            tracing::debug!(%error, "nobody is met here any more");
        }
    }
}

fn identity(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

/// As much as anybody may have.
#[cfg(target_os = "linux")]
fn widen(pipe: &OwnedFd) -> io::Result<()> {
    const ROOM: usize = 1 << 20;
    rustix::pipe::fcntl_setpipe_size(pipe, ROOM)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn widen(_pipe: &OwnedFd) -> io::Result<()> {
    Ok(())
}
