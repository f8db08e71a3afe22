//! Carries connections on a sandbox's own loopback to the socket of a proxy outside: a namespace without network has no other
//! way out.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::net::TcpListener;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::thread;

use super::SANDBOX_MODE;
use super::proxy::{Wire, relay};
use crate::children;
use crate::near::near;
use crate::spec::CommandSpec;

pub(super) const BEGIN: &str = "begin-carrying";
pub(super) const CARRY: &str = "carry";

/// Starts a process that carries and is no child of ours, since the program that we become would not expect one. What it
/// carries is for a port outside, or asks the proxy itself.
pub(super) fn start(listener: TcpListener, socket: &Path, outside: Option<u16>) -> io::Result<()> {
    let listener = OwnedFd::from(listener).into();
    let outside = outside.map(|port| port.to_string().into());
    let mut child = ourselves(BEGIN, socket, outside, listener)?;
    match children::wait(&mut child)?.success() {
        true => Ok(()),
        false => Err(io::Error::other("nothing carries to the proxy")),
    }
}

/// Starts the process that carries, and leaves it alone.
pub(super) fn begin(words: &[OsString]) -> io::Result<()> {
    let listener = io::stdin().as_fd().try_clone_to_owned()?;
    let (socket, outside) = said(words)?;
    ourselves(CARRY, socket, outside.cloned(), listener.into()).map(drop)
}

/// The listener is the standard input. It ends with the sandbox.
pub(super) fn carry(words: &[OsString]) -> io::Result<()> {
    let (socket, outside) = said(words)?;
    let listener = TcpListener::from(io::stdin().as_fd().try_clone_to_owned()?);
    for client in listener.incoming() {
        let socket = socket.to_owned();
        let outside = outside.cloned();
        // A proxy that has ended shows as a connection that closes.
        if let Ok(client) = client {
            thread::spawn(move || {
                if let Ok(proxy) = connect(&socket, outside.as_deref()) {
                    relay(Wire::Tcp(client), Wire::Unix(proxy));
                }
            });
        }
    }
    Ok(())
}

/// A connection to the proxy, or through it to a port outside.
fn connect(socket: &Path, outside: Option<&OsStr>) -> io::Result<UnixStream> {
    let mut proxy = near(socket, |socket| UnixStream::connect(socket))?;
    let Some(port) = outside else {
        return Ok(proxy);
    };
    write!(
        proxy,
        "CONNECT 127.0.0.1:{} HTTP/1.1\r\n\r\n",
        port.display()
    )?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        proxy.read_exact(&mut byte)?;
        head.extend(byte);
    }
    match head.starts_with(b"HTTP/1.1 200 ") {
        true => Ok(proxy),
        false => Err(io::ErrorKind::ConnectionRefused.into()),
    }
}

/// The socket, and the port outside.
fn said(words: &[OsString]) -> io::Result<(&Path, Option<&OsString>)> {
    let socket = words.first().ok_or(io::ErrorKind::InvalidInput)?;
    Ok((Path::new(socket), words.get(1)))
}

fn ourselves(
    mode: &str,
    socket: &Path,
    outside: Option<OsString>,
    listener: Stdio,
) -> io::Result<std::process::Child> {
    let spec = CommandSpec::new(std::env::current_exe()?, "/")
        .args([SANDBOX_MODE, mode])
        .arg(socket)
        .args(outside);
    let mut command = children::command(&spec).map_err(io::Error::other)?;
    command
        .stdin(listener)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    children::spawn(&mut command, &spec).map_err(io::Error::other)
}
