//! What this machine has to hold agents, tried for real: each layer alone, and all of them together as sessions have them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use orchestra_core::{EscapeEnd, EscapeRecord};
use orchestra_process::{
    Marker, Network, Probe, ProcessError, Sandbox, SandboxError, SandboxLayer, SandboxLayers,
    Targets, home_secrets, probe,
};

use super::tried::{escapes, missing};
use crate::{Engine, EngineError};

/// What this machine has to hold agents.
#[derive(Debug)]
pub struct MachineSandbox {
    /// What was tried: each layer alone, then all.
    pub tried: Vec<TriedLayers>,
    /// Layers that this machine does not have, and how to have them.
    pub missing: Vec<(String, String)>,
    /// Why sessions cannot run in a sandbox here; `None` if they can.
    pub refusal: Option<EngineError>,
}

/// Some layers, and what they stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedLayers {
    /// By name.
    pub layers: Vec<String>,
    /// The ways out.
    pub escapes: Vec<EscapeRecord>,
    /// Why nothing could be committed; `None` if it was.
    pub commit_failure: Option<String>,
    /// How long it took.
    pub milliseconds: u64,
}

impl TriedLayers {
    /// Ways out that were tried, and those that were stopped.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        orchestra_core::escape_counts(&self.escapes)
    }

    /// Whether every way out that was tried was stopped, and an agent can commit.
    #[must_use]
    pub fn holds(&self) -> bool {
        let escaped = |it: &EscapeRecord| it.end == EscapeEnd::Succeeded;
        !self.escapes.iter().any(escaped) && self.commit_failure.is_none()
    }
}

impl Engine {
    /// Tries what this machine has to hold agents, in a repository made for that.
    ///
    /// # Errors
    /// If that cannot be made, or a layer that is there cannot be tried.
    pub fn check_sandbox(&self) -> Result<MachineSandbox, EngineError> {
        let present = self.present_layers();
        let folder = self.dirs.workspaces();
        self.create_private_dir(&folder)?;
        let scratch = Scratch::make(&folder)
            .map_err(|source| EngineError::io("make a repository to try a sandbox in", source))?;
        let mut tried = Vec::new();
        for layers in combinations(present) {
            let layers = present.require(&layers).map_err(ProcessError::from)?;
            tried.push(self.try_layers(&scratch, layers)?);
        }
        Ok(MachineSandbox {
            refusal: self.refusal(tried.last()),
            missing: missing(present)
                .into_iter()
                .map(|layer| (layer.to_string(), layer.how_to_get().to_owned()))
                .collect(),
            tried,
        })
    }

    /// Why sessions cannot have what was tried last.
    fn refusal(&self, whole: Option<&TriedLayers>) -> Option<EngineError> {
        if let Err(error) = self.sandbox_layers() {
            return Some(error);
        }
        let whole = whole.filter(|whole| !whole.holds())?;
        let problem = whole.commit_failure.clone();
        let problem = problem.unwrap_or_else(|| "a way out was possible".to_owned());
        Some(ProcessError::from(SandboxError::Probe { problem }).into())
    }

    fn try_layers(
        &self,
        scratch: &Scratch,
        layers: SandboxLayers,
    ) -> Result<TriedLayers, EngineError> {
        let home = self.probed_home();
        let mut secrets = home_secrets(home);
        secrets.push(scratch.path("secret"));
        let mut hidden = secrets.clone();
        hidden.push(self.dirs.root().to_owned());
        let sandbox = Sandbox {
            writable: vec![scratch.path("workspace")],
            hidden,
            readable: vec![home.to_owned(), scratch.path("main"), scratch.path("other")],
            replaced: Vec::new(),
            network: Network::Off,
            layers,
            helper: self.program.clone(),
        };
        let targets = Targets {
            workspace: scratch.path("workspace"),
            main_checkout: scratch.path("main"),
            git_directory: scratch.path("main/.git"),
            other_worktree: Some(scratch.path("other")),
            home: home.to_owned(),
            secrets,
            store: self.config().core.database_path.clone(),
            outside: self.dirs.root().to_owned(),
            git: self.probing_git(),
        };
        let mark = format!("{}:sandbox:{}", self.store.epoch()?, std::process::id());
        let found = probe(&Probe {
            guardian: &self.guardian(),
            sandbox: &sandbox,
            targets: &targets,
            marker: &Marker::new(orchestra_config::variables::ORCHESTRA_RUN, mark),
        })?;
        Ok(TriedLayers {
            layers: found.layers.iter().map(ToString::to_string).collect(),
            escapes: escapes(&found),
            commit_failure: found.commit_failure,
            milliseconds: found.milliseconds,
        })
    }
}

/// Each layer alone, then all of them.
fn combinations(present: &SandboxLayers) -> Vec<Vec<SandboxLayer>> {
    let names = present.names();
    let mut all: Vec<_> = names.iter().map(|layer| vec![*layer]).collect();
    if names.len() > 1 {
        all.push(names);
    }
    all
}

/// A repository, a clone of it and a directory beside them; all of it goes with this value.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn make(folder: &Path) -> io::Result<Self> {
        let scratch = Self(
            tempfile::Builder::new()
                .prefix("check-")
                .tempdir_in(folder)?,
        );
        for place in ["main/.git", "workspace/.git"] {
            make_repository(&scratch.path(place))?;
        }
        fs::create_dir(scratch.path("other"))?;
        fs::write(scratch.path("secret"), "a secret\n")?;
        Ok(scratch)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// What git needs to take a directory for a repository.
fn make_repository(git: &Path) -> io::Result<()> {
    for folder in ["objects", "refs", "hooks"] {
        fs::create_dir_all(git.join(folder))?;
    }
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
    fs::write(
        git.join("config"),
        "[core]\n\trepositoryformatversion = 0\n",
    )
}
