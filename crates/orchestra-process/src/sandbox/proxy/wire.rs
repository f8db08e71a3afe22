//! Two ends and the bytes between them.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

/// One end of a connection.
#[derive(Debug)]
pub(in crate::sandbox) enum Wire {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Wire {
    fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::Tcp(stream) => stream.try_clone().map(Self::Tcp),
            #[cfg(unix)]
            Self::Unix(stream) => stream.try_clone().map(Self::Unix),
        }
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.shutdown(how),
            #[cfg(unix)]
            Self::Unix(stream) => stream.shutdown(how),
        }
    }

    /// How long a read or a write may take.
    pub(super) fn patience(&self, patience: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream
                .set_read_timeout(patience)
                .and_then(|()| stream.set_write_timeout(patience)),
            #[cfg(unix)]
            Self::Unix(stream) => stream
                .set_read_timeout(patience)
                .and_then(|()| stream.set_write_timeout(patience)),
        }
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            #[cfg(unix)]
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            #[cfg(unix)]
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Carries bytes both ways until both ends have no more. Whoever is cut off sees it at its own end.
pub(in crate::sandbox) fn relay(one: Wire, other: Wire) {
    let (Ok(from_one), Ok(to_other)) = (one.try_clone(), other.try_clone()) else {
        return;
    };
    let there = thread::spawn(move || carry(from_one, to_other));
    carry(other, one);
    if there.join().is_err() {
        tracing::warn!("a connection through the proxy failed");
    }
}

fn carry(mut from: Wire, mut to: Wire) {
    let carried = io::copy(&mut from, &mut to);
    let how = match carried {
        Ok(_) => Shutdown::Write,
        Err(_) => Shutdown::Both,
    };
    if let Err(error) = to.shutdown(how) {
        tracing::trace!(%error, "the other end is gone");
    }
}
