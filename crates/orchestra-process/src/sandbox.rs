//! Where a program may write, what it may read and whom it may reach.
//!
//! A sandbox is a value. [`supervise_within`](crate::supervise_within) turns the command into another one that builds the sandbox
//! around itself and then becomes the program, so that no code runs between fork and exec. What each layer
//! stops, and what it does not, is in `docs/design/sandbox.md`; [`probe`] finds out on this machine.

#[cfg(unix)]
mod access;
#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod capabilities;
mod enter;
mod error;
#[cfg(unix)]
mod forward;
#[cfg(target_os = "linux")]
mod landlock;
mod layers;
#[cfg(unix)]
mod own_socket;
mod probe;
#[cfg(unix)]
mod profile;
mod proxy;
mod secrets;
#[cfg(target_os = "linux")]
mod sockets;
#[cfg(unix)]
mod words;
#[cfg(unix)]
mod wrap;

pub use enter::sandbox_main;
pub use error::SandboxError;
pub use layers::{Bubblewrap, NestedNamespaces, SandboxLayer, SandboxLayers};
pub use probe::{Attempt, Escape, Outcome, Probe, ProbeRecord, Targets, probe};
pub use proxy::{HostList, NetworkProxy, ProxyAddress, ProxyPlace, proxy_variables};
pub use secrets::home_secrets;
#[cfg(unix)]
pub(crate) use wrap::Around;

use std::path::PathBuf;

use crate::limits::ResourceLimits;

/// The hidden argument of a program that calls [`sandbox_main`].
pub const SANDBOX_MODE: &str = "__sandbox";

/// What holds a program and everything below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    pub limits: ResourceLimits,
    /// `None`: the program may do what this user may do.
    pub sandbox: Option<Sandbox>,
}

/// What a program may reach. The most specific path decides; where the same one is named twice, the kindest.
///
/// Everything else can be read and not written, but for `/tmp`, `/var/tmp` and `/run`: with bubblewrap the program has its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// May be written; each has to exist.
    pub writable: Vec<PathBuf>,
    /// May not be read, such as [`home_secrets`]; those that do not exist are passed over.
    pub hidden: Vec<PathBuf>,
    /// Stay readable though they are inside of something hidden or of `/tmp`, such as the repository of a shared clone. With
    /// bubblewrap, a socket that is there at the start can be connected to only if it is named itself, here or as writable.
    pub readable: Vec<PathBuf>,
    /// Files that the program finds in the place of others, and may not write. Only bubblewrap can do that.
    pub replaced: Vec<Replaced>,
    pub network: Network,
    /// What has to hold it: all of these, or nothing is started.
    pub layers: SandboxLayers,
    /// A program that calls [`sandbox_main`] when its first argument is [`SANDBOX_MODE`]: usually this one.
    pub helper: PathBuf,
}

/// A file that a program finds in the place of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The path, at which a file has to be.
    pub path: PathBuf,
    /// What is read there.
    pub by: PathBuf,
}

/// What a program may reach over the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    Off,
    /// What the proxy at this address lets through.
    Hosts(ProxyAddress),
    Open,
}
