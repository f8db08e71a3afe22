//! What an agent reads.

use std::io::{self, ErrorKind, PipeWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::OFlags;

/// What is still to be written to the agent.
#[derive(Debug)]
pub(super) struct Input {
    pipe: PipeWriter,
    bytes: Vec<u8>,
    written: usize,
}

impl Input {
    pub(super) fn new(pipe: PipeWriter, bytes: Vec<u8>) -> io::Result<Self> {
        rustix::fs::fcntl_setfl(&pipe, OFlags::NONBLOCK)?;
        Ok(Self {
            pipe,
            bytes,
            written: 0,
        })
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// Writes what fits; `true` when nothing is left or the agent does not want more.
    pub(super) fn is_fed(&mut self) -> bool {
        match self.pipe.write(&self.bytes[self.written..]) {
            Ok(count) => self.written += count,
            Err(error) => return !is_temporary(&error),
        }
        self.written == self.bytes.len()
    }
}

pub(super) fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
