//! A proxy that lets a program reach some hosts and nothing else.
//!
//! It speaks the two forms that programs use: `CONNECT`, after which it carries bytes, and a plain request with a whole
//! address. A name is resolved here, once, and connected to by the address that was looked at.

mod address;
mod hosts;
mod request;
mod serve;
#[cfg(test)]
mod tests;
mod wire;

pub use hosts::HostList;
#[cfg(unix)]
pub(super) use wire::{Wire, relay};

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use super::{Network, SandboxError, SandboxLayers};
#[cfg(unix)]
use crate::near::near;
use serve::Server;

/// Where a proxy is to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProxyPlace {
    /// A port of this machine that is free: for layers that leave the program in the machine's network.
    Loopback,
    /// A socket to be made in a directory that only this user may enter: for bubblewrap.
    Socket(PathBuf),
}

impl ProxyPlace {
    /// What a sandbox of these layers can reach.
    pub fn within_reach_of(layers: &SandboxLayers, socket: &Path) -> Self {
        match layers.bubblewrap {
            Some(_) => Self::Socket(socket.to_path_buf()),
            None => Self::Loopback,
        }
    }
}

/// Where a proxy listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProxyAddress {
    /// A port on loopback.
    Loopback(u16),
    Socket {
        path: PathBuf,
        /// Ports of this machine that are let through, and that the program finds on its own loopback too: programs do not
        /// look for a proxy there.
        local_ports: Vec<u16>,
    },
}

/// How a program is told of the proxy at a port of its own loopback. Programs look for one spelling or the other.
pub fn proxy_variables(port: impl std::fmt::Display) -> Vec<(&'static str, String)> {
    let proxy = format!("http://127.0.0.1:{port}");
    let mut variables: Vec<_> = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]
        .into_iter()
        .chain(["http_proxy", "https_proxy", "all_proxy"])
        .map(|name| (name, proxy.clone()))
        .collect();
    let around = "localhost,127.0.0.1,::1".to_owned();
    variables.extend([("NO_PROXY", around.clone()), ("no_proxy", around)]);
    variables
}

/// A proxy that runs for as long as this value lives. Connections that are open then stay open.
#[derive(Debug)]
pub struct NetworkProxy {
    address: ProxyAddress,
    is_over: Arc<AtomicBool>,
    listening: Option<JoinHandle<()>>,
}

/// Finds the addresses of a name.
type Resolve = fn(&str, u16) -> io::Result<Vec<SocketAddr>>;

impl NetworkProxy {
    /// Starts a proxy that lets these hosts through.
    ///
    /// # Errors
    /// If it cannot listen there.
    pub fn start(hosts: HostList, place: &ProxyPlace) -> Result<Self, SandboxError> {
        let system = |host: &str, port: u16| Ok((host, port).to_socket_addrs()?.collect());
        Self::start_resolving(hosts, place, system)
    }

    fn start_resolving(
        hosts: HostList,
        place: &ProxyPlace,
        resolve: Resolve,
    ) -> Result<Self, SandboxError> {
        let failed = |source| SandboxError::Proxy { source };
        let (listener, address) = Listener::at(place, &hosts).map_err(failed)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let server = Arc::new(Server::new(hosts, resolve));
        let ends = Arc::clone(&is_over);
        let listening = thread::Builder::new()
            .name("proxy".to_owned())
            .spawn(move || listener.serve(&server, &ends))
            .map_err(failed)?;
        Ok(Self {
            address,
            is_over,
            listening: Some(listening),
        })
    }

    pub fn address(&self) -> &ProxyAddress {
        &self.address
    }

    /// A network that is this proxy.
    pub fn network(&self) -> Network {
        Network::Hosts(self.address.clone())
    }

    /// The listener sees that it is over when somebody connects.
    fn wake(&self) -> io::Result<()> {
        match &self.address {
            ProxyAddress::Loopback(port) => {
                TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).map(drop)
            }
            #[cfg(unix)]
            ProxyAddress::Socket { path, .. } => {
                near(path, |path| UnixStream::connect(path)).map(drop)
            }
            #[cfg(not(unix))]
            ProxyAddress::Socket { .. } => Ok(()),
        }
    }
}

impl Drop for NetworkProxy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        match self.wake() {
            Ok(()) => {
                let ended = self.listening.take().map(JoinHandle::join);
                if let Some(Err(_)) = ended {
                    tracing::warn!("a proxy failed before its end");
                }
            }
            Err(error) => tracing::warn!(%error, "a proxy cannot be told to end"),
        }
        if let ProxyAddress::Socket { path, .. } = &self.address
            && let Err(error) = std::fs::remove_file(path)
        {
            tracing::debug!(%error, "the socket of a proxy is gone already");
        }
    }
}

enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

impl Listener {
    fn at(place: &ProxyPlace, hosts: &HostList) -> io::Result<(Self, ProxyAddress)> {
        match place {
            ProxyPlace::Loopback => {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
                let port = listener.local_addr()?.port();
                Ok((Self::Tcp(listener), ProxyAddress::Loopback(port)))
            }
            #[cfg(unix)]
            ProxyPlace::Socket(path) => {
                let listener = near(path, |path| UnixListener::bind(path))?;
                let address = ProxyAddress::Socket {
                    path: path.clone(),
                    local_ports: hosts.local_ports(),
                };
                Ok((Self::Unix(listener), address))
            }
            #[cfg(not(unix))]
            ProxyPlace::Socket(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn accept(&self) -> io::Result<wire::Wire> {
        match self {
            Self::Tcp(listener) => listener.accept().map(|(stream, _)| wire::Wire::Tcp(stream)),
            #[cfg(unix)]
            Self::Unix(listener) => listener
                .accept()
                .map(|(stream, _)| wire::Wire::Unix(stream)),
        }
    }

    fn serve(&self, server: &Arc<Server>, is_over: &AtomicBool) {
        loop {
            let accepted = self.accept();
            if is_over.load(Ordering::SeqCst) {
                return;
            }
            match accepted {
                Ok(client) => server.take(client),
                Err(error) => {
                    tracing::debug!(%error, "a connection to the proxy was lost");
                    // Too many open files do not pass by trying at once.
                    thread::sleep(std::time::Duration::from_millis(20));
                }
            }
        }
    }
}
