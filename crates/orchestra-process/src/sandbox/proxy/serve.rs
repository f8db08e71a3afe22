//! Answering the connections of a program.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::Resolve;
use super::address::is_public;
use super::hosts::HostList;
use super::request::{self, Form, Request};
use super::wire::{Wire, relay};

const LARGEST_HEAD: usize = 16 * 1024;
const MOST_CONNECTIONS: usize = 256;
/// How long a program may take to say what it wants.
const HEAD_PATIENCE: Duration = Duration::from_secs(30);
const CONNECT_PATIENCE: Duration = Duration::from_secs(20);
/// A connection on which nothing happens is closed at last.
const IDLE: Duration = Duration::from_secs(3600);
const END_OF_HEAD: &[u8] = b"\r\n\r\n";

pub(super) struct Server {
    hosts: HostList,
    resolve: Resolve,
    open: AtomicUsize,
}

/// Why a program does not get what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    NotUnderstood,
    TooLarge,
    NotAllowed,
    /// The name is in the list, but leads to this machine or its network.
    LeadsHome,
    Unreachable,
}

impl Refusal {
    fn answer(self) -> String {
        let (status, text) = match self {
            Self::NotUnderstood => ("400 Bad Request", "the proxy does not understand this"),
            Self::TooLarge => (
                "431 Request Header Fields Too Large",
                "the head is too large",
            ),
            Self::NotAllowed => ("403 Forbidden", "the sandbox does not allow this host"),
            Self::LeadsHome => (
                "403 Forbidden",
                "the host is an address of this machine or its network, which the sandbox does not allow",
            ),
            Self::Unreachable => ("502 Bad Gateway", "the host cannot be reached"),
        };
        let length = text.len() + 1;
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}\n"
        )
    }
}

impl Server {
    pub(super) fn new(hosts: HostList, resolve: Resolve) -> Self {
        Self {
            hosts,
            resolve,
            open: AtomicUsize::new(0),
        }
    }

    /// Answers in a thread of its own; one connection too many is closed.
    pub(super) fn take(self: &Arc<Self>, client: Wire) {
        if self.open.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
            self.open.fetch_sub(1, Ordering::SeqCst);
            return;
        }
        let server = Arc::clone(self);
        let started = thread::Builder::new()
            .name("proxied".to_owned())
            .spawn(move || {
                if let Err(error) = server.answer(client) {
                    tracing::debug!(%error, "a connection through the proxy was lost");
                }
                server.open.fetch_sub(1, Ordering::SeqCst);
            });
        if let Err(error) = started {
            self.open.fetch_sub(1, Ordering::SeqCst);
            tracing::warn!(%error, "the proxy cannot answer");
        }
    }

    fn answer(&self, mut client: Wire) -> io::Result<()> {
        client.patience(Some(HEAD_PATIENCE))?;
        let (head, rest) = match read_head(&mut client)? {
            Ok(read) => read,
            Err(refusal) => return client.write_all(refusal.answer().as_bytes()),
        };
        let request = request::parse(&head).ok_or(Refusal::NotUnderstood);
        let reached = request.and_then(|request| {
            let server = self.reach(&request)?;
            Ok((server, request.form))
        });
        let (mut server, form) = match reached {
            Ok(reached) => reached,
            Err(refusal) => return client.write_all(refusal.answer().as_bytes()),
        };
        match form {
            Form::Connect => client.write_all(b"HTTP/1.1 200 Connection Established\r\n\r\n")?,
            Form::Plain(head) => server.write_all(&head)?,
        }
        server.write_all(&rest)?;
        let server = Wire::Tcp(server);
        client.patience(Some(IDLE))?;
        server.patience(Some(IDLE))?;
        relay(client, server);
        Ok(())
    }

    fn reach(&self, request: &Request) -> Result<TcpStream, Refusal> {
        let Request { host, port, .. } = request;
        if !self.hosts.allows(host, *port) {
            return Err(Refusal::NotAllowed);
        }
        let found = (self.resolve)(host, *port).map_err(|_| Refusal::Unreachable)?;
        if found.is_empty() {
            return Err(Refusal::Unreachable);
        }
        let is_allowed =
            |address: &SocketAddr| is_public(address.ip()) || self.hosts.names(address.ip(), *port);
        let allowed: Vec<_> = found.into_iter().filter(is_allowed).collect();
        if allowed.is_empty() {
            return Err(Refusal::LeadsHome);
        }
        let connect = |address| TcpStream::connect_timeout(address, CONNECT_PATIENCE).ok();
        allowed.iter().find_map(connect).ok_or(Refusal::Unreachable)
    }
}

type Head = (Vec<u8>, Vec<u8>);

/// The head, and what came with it.
fn read_head(client: &mut Wire) -> io::Result<Result<Head, Refusal>> {
    let mut read = Vec::new();
    let mut buffer = [0; 4096];
    let started = Instant::now();
    loop {
        let count = client.read(&mut buffer)?;
        if count == 0 || started.elapsed() > HEAD_PATIENCE {
            return Ok(Err(Refusal::NotUnderstood));
        }
        read.extend(&buffer[..count]);
        let mut windows = read.windows(END_OF_HEAD.len());
        if let Some(end) = windows.position(|it| it == END_OF_HEAD) {
            let rest = read.split_off(end + END_OF_HEAD.len());
            return Ok(Ok((read, rest)));
        }
        if read.len() > LARGEST_HEAD {
            return Ok(Err(Refusal::TooLarge));
        }
    }
}
