//! Agents in a sandbox: what one may reach, the git directory of its own that it commits to, and fetching from that. Scripts of
//! the session run outside of it.

mod check;
mod fetch;
mod network;
mod reach;
mod tried;

pub use check::{MachineSandbox, TriedLayers};
pub(crate) use fetch::note_left;
pub(crate) use network::is_carried;
pub(crate) use tried::missing as missing_layers;

use orchestra_core::{Isolation, Session, SessionId};
use orchestra_git::Workspace;
use orchestra_process::{Door, NetworkProxy, ProcessError, Sandbox, SandboxLayer, SandboxLayers};

use crate::runtime::RuntimeError;
use crate::{Engine, EngineError};

/// What holds the agent of one turn.
#[derive(Debug)]
pub(crate) struct HeldTurn {
    pub(crate) sandbox: Sandbox,
    /// Where the agent asks whether it may use a tool.
    pub(crate) door: Option<Door>,
    /// What the user should know of it.
    pub(crate) notes: Vec<String>,
    /// Runs for as long as the turn.
    pub(crate) _proxy: Option<NetworkProxy>,
}

impl HeldTurn {
    /// What the agent is told besides: its own directory for what is temporary is one of the sandbox.
    pub(crate) const VARIABLES: [(&str, &str); 1] = [("TMPDIR", "/tmp")];
}

impl Engine {
    /// Where the agent of a session has its git directory when it works in a sandbox.
    pub(crate) fn workspace_of(&self, id: &SessionId) -> Workspace {
        Workspace::at(self.dirs.workspaces().join(id.as_str()))
    }

    /// Refuses a session that is to run in a sandbox and cannot: nothing is run without one then.
    pub(crate) fn require_sandbox(&self, session: &Session) -> Result<(), EngineError> {
        if self.isolation_of(session) != Isolation::Sandbox {
            return Ok(());
        }
        self.sandbox_layers()?;
        self.network_words()?;
        Ok(())
    }

    /// What works on this machine. It is tried once.
    pub(crate) fn present_layers(&self) -> &SandboxLayers {
        self.sandbox.get_or_init(|| {
            let path = self.environment.find(orchestra_config::variables::PATH);
            SandboxLayers::present(path)
        })
    }

    /// bubblewrap, since only that shows another git directory in the worktree, and Landlock where the kernel has it.
    pub(crate) fn sandbox_layers(&self) -> Result<SandboxLayers, EngineError> {
        if !cfg!(target_os = "linux") {
            return Err(RuntimeError::NoSandbox.into());
        }
        let present = self.present_layers();
        let mut wanted = vec![SandboxLayer::Bubblewrap];
        wanted.extend(present.landlock.map(|_| SandboxLayer::Landlock));
        Ok(present.require(&wanted).map_err(ProcessError::from)?)
    }

    /// Removes the workspace of a session whose worktree is gone for good. Who does something else is not kept from it.
    pub(crate) fn let_workspace_go(&self, id: &SessionId) {
        match std::fs::remove_dir_all(self.workspace_of(id).folder()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                tracing::warn!(session = %id, %error, "its workspace stays");
            }
            _ => {}
        }
    }
}
