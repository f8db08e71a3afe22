//! Carries connections on a sandbox's own loopback to the socket of a proxy outside: a namespace without network has no other
//! way out.

use std::ffi::OsString;
use std::io;
use std::net::TcpListener;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::thread;

use super::SANDBOX_MODE;
use super::proxy::{Wire, relay};
use crate::children;
use crate::spec::CommandSpec;

pub(super) const BEGIN: &str = "begin-carrying";
pub(super) const CARRY: &str = "carry";

/// Starts a process that carries and is no child of ours, since the program that we become would not expect one.
pub(super) fn start(listener: TcpListener, socket: &Path) -> io::Result<()> {
    let mut child = ourselves(BEGIN, socket, OwnedFd::from(listener).into())?;
    match children::wait(&mut child)?.success() {
        true => Ok(()),
        false => Err(io::Error::other("nothing carries to the proxy")),
    }
}

/// Starts the process that carries, and leaves it alone.
pub(super) fn begin(words: &[OsString]) -> io::Result<()> {
    let listener = io::stdin().as_fd().try_clone_to_owned()?;
    ourselves(CARRY, socket(words)?, listener.into()).map(drop)
}

/// The listener is the standard input. It ends with the sandbox.
pub(super) fn carry(words: &[OsString]) -> io::Result<()> {
    let socket = socket(words)?;
    let listener = TcpListener::from(io::stdin().as_fd().try_clone_to_owned()?);
    for client in listener.incoming() {
        // A proxy that has ended shows as a connection that closes.
        if let (Ok(client), Ok(proxy)) = (client, UnixStream::connect(socket)) {
            thread::spawn(move || relay(Wire::Tcp(client), Wire::Unix(proxy)));
        }
    }
    Ok(())
}

fn socket(words: &[OsString]) -> io::Result<&Path> {
    let socket = words.first().ok_or(io::ErrorKind::InvalidInput)?;
    Ok(Path::new(socket))
}

fn ourselves(mode: &str, socket: &Path, listener: Stdio) -> io::Result<std::process::Child> {
    let spec = CommandSpec::new(std::env::current_exe()?, "/")
        .args([SANDBOX_MODE, mode])
        .arg(socket);
    let mut command = children::command(&spec).map_err(io::Error::other)?;
    command
        .stdin(listener)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    children::spawn(&mut command, &spec).map_err(io::Error::other)
}
