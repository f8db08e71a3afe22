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
    /// More may come.
    is_open: bool,
}

impl Input {
    /// All there is to read.
    pub(super) fn whole(pipe: PipeWriter, bytes: Vec<u8>) -> io::Result<Self> {
        rustix::fs::fcntl_setfl(&pipe, OFlags::NONBLOCK)?;
        Ok(Self {
            pipe,
            bytes,
            written: 0,
            is_open: false,
        })
    }

    /// What there is to read first.
    pub(super) fn open(pipe: PipeWriter, bytes: Vec<u8>) -> io::Result<Self> {
        Ok(Self {
            is_open: true,
            ..Self::whole(pipe, bytes)?
        })
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.written);
        self.written = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Nothing more comes after what is there.
    pub(super) fn close(&mut self) {
        self.is_open = false;
    }

    /// Whether something waits to be written.
    pub(super) fn has_more(&self) -> bool {
        self.written < self.bytes.len()
    }

    /// Whether the pipe can be closed: nothing is left and nothing comes.
    pub(super) fn is_over(&self) -> bool {
        !self.is_open && !self.has_more()
    }

    /// Writes what fits. An agent that does not want more gets no more.
    pub(super) fn feed(&mut self) {
        match self.pipe.write(&self.bytes[self.written..]) {
            Ok(count) => self.written += count,
            Err(error) if is_temporary(&error) => {}
            Err(_) => {
                self.written = self.bytes.len();
                self.is_open = false;
            }
        }
    }
}

pub(super) fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
