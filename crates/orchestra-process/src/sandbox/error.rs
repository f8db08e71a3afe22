//! Why a program cannot be held.

use std::io;
use std::path::PathBuf;

use super::SandboxLayer;

/// Why a sandbox was not made, so that nothing ran in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    #[error("this machine has no working {layer} to hold a program")]
    MissingLayer { layer: SandboxLayer },
    #[error("no layer is there to hold a program")]
    NoLayer,
    #[error("{layer} of this machine cannot keep a program from the network")]
    NetworkNotHeld { layer: SandboxLayer },
    #[error("{layer} cannot reach a proxy at {place}")]
    ProxyOutOfReach {
        layer: SandboxLayer,
        place: &'static str,
    },
    #[error("cannot give a program `{}` to write to", path.display())]
    Unwritable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{}` cannot be named in a sandbox profile", path.display())]
    NotText { path: PathBuf },
    #[error("`{host}` is not a host that a proxy could let through")]
    Host { host: String },
    #[error("port {port} of this machine cannot be reached from a sandbox")]
    LowPort { port: u16 },
    #[error("cannot start a proxy")]
    Proxy {
        #[source]
        source: io::Error,
    },
    #[error("the sandbox could not be tried: {problem}")]
    Probe { problem: String },
}

impl SandboxError {
    /// A stable name for the kind of failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::MissingLayer { .. } => "sandbox.missing_layer",
            Self::NoLayer => "sandbox.no_layer",
            Self::NetworkNotHeld { .. } => "sandbox.network_not_held",
            Self::ProxyOutOfReach { .. } => "sandbox.proxy_out_of_reach",
            Self::Unwritable { .. } => "sandbox.unwritable",
            Self::NotText { .. } => "sandbox.not_text",
            Self::Host { .. } => "sandbox.host",
            Self::LowPort { .. } => "sandbox.low_port",
            Self::Proxy { .. } => "sandbox.proxy_failed",
            Self::Probe { .. } => "sandbox.probe_failed",
        }
    }

    /// What the user can do next.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::MissingLayer { layer } => Some(layer.how_to_get().to_owned()),
            Self::NoLayer => Some(
                "on Linux use kernel 5.13 or newer with Landlock, or install bubblewrap; elsewhere choose another isolation"
                    .to_owned(),
            ),
            Self::NetworkNotHeld { .. } => Some(
                "install bubblewrap, use Linux 6.7 or newer, or leave the network open".to_owned(),
            ),
            Self::Unwritable { path, .. } => {
                Some(format!("make `{}`, or leave it out", path.display()))
            }
            Self::Host { .. } => Some(
                "write a host, `*.` and a domain, or an address, each with a port if you like: `*.example.com:443`"
                    .to_owned(),
            ),
            Self::LowPort { .. } => Some(
                "only root can listen at a port below 1024, in a sandbox nobody: let the server listen at another one"
                    .to_owned(),
            ),
            Self::NotText { .. } => Some("rename it, or leave it out".to_owned()),
            Self::ProxyOutOfReach { .. } | Self::Proxy { .. } | Self::Probe { .. } => None,
        }
    }
}
