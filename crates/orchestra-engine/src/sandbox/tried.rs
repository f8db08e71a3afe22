//! Trying the sandbox of a session before the first turn in it, when it changed, and once a day.

use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_core::{EscapeEnd, EscapeRecord, SandboxRecord, Session};
use orchestra_git::Worktree;
use orchestra_process::{
    Escape, Network, Outcome, Probe, ProbeRecord, Sandbox, SandboxLayer, SandboxLayers, Targets,
    find_program, probe,
};
use serde::{Deserialize, Serialize};

use crate::runtime::RuntimeError;
use crate::{Engine, EngineError};

const FILE: &str = "tried.json";
/// What no layer stops, in words.
const LATE_SOCKETS: &str =
    "not stopped: a socket with a path, made in a readable place while the agent runs";
/// How long it counts that a sandbox was seen to hold.
const LASTS: Duration = Duration::from_secs(24 * 60 * 60);

/// What was tried, and what came of it.
#[derive(Serialize, Deserialize)]
struct Tried {
    sandbox: String,
    record: SandboxRecord,
}

impl Engine {
    /// Tries the sandbox of the next turn, unless the same was seen to hold within a day.
    pub(crate) fn tried_sandbox(
        &self,
        session: &Session,
        worktree: &Worktree,
        sandbox: &Sandbox,
        hosts: Vec<String>,
    ) -> Result<SandboxRecord, EngineError> {
        let file = self.workspace_of(&session.id).folder().join(FILE);
        let described = described(sandbox, &hosts);
        if let Some(known) = self.known_record(&file, &described) {
            return Ok(known);
        }
        let found = self.try_sandbox(session, worktree, sandbox)?;
        require_held(session, &found, sandbox, &self.targets(worktree, sandbox)?)?;
        let tried = Tried {
            sandbox: described,
            record: SandboxRecord {
                layers: found.layers.iter().map(ToString::to_string).collect(),
                missing: missing(&sandbox.layers)
                    .iter()
                    .map(ToString::to_string)
                    .collect(),
                network: hosts,
                tried_at: self.now(),
                escapes: escapes(&found),
            },
        };
        let text = serde_json::to_vec(&tried);
        let written = text
            .map_err(std::io::Error::from)
            .and_then(|text| std::fs::write(&file, text));
        written.map_err(|source| EngineError::io("keep what was tried", source))?;
        Ok(tried.record)
    }

    fn known_record(&self, file: &Path, described: &str) -> Option<SandboxRecord> {
        let known: Tried = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
        let age = self.now().duration_since(known.record.tried_at);
        let is_same = known.sandbox == described && age.unsigned_abs() < LASTS;
        is_same.then_some(known.record)
    }

    fn try_sandbox(
        &self,
        session: &Session,
        worktree: &Worktree,
        sandbox: &Sandbox,
    ) -> Result<ProbeRecord, EngineError> {
        Ok(probe(&Probe {
            guardian: &self.guardian(),
            sandbox,
            targets: &self.targets(worktree, sandbox)?,
            marker: &self.marker(&session.id, "probe")?,
        })?)
    }

    fn targets(&self, worktree: &Worktree, sandbox: &Sandbox) -> Result<Targets, EngineError> {
        let repository = worktree.repository();
        let own = worktree.path();
        let others = repository.list_worktrees()?.into_iter();
        let mut others = others.map(|entry| entry.path);
        let mut secrets = sandbox.hidden.clone();
        let ours = [self.dirs.root(), repository.common_dir()];
        secrets.retain(|path| !ours.iter().any(|place| path.starts_with(place)));
        // What is hidden and named again is the agent's own.
        let named = sandbox.writable.iter().chain(&sandbox.readable);
        secrets.retain(|path| !named.clone().any(|it| it.starts_with(path)));
        Ok(Targets {
            workspace: own.to_owned(),
            main_checkout: repository.root().to_owned(),
            git_directory: repository.common_dir().to_owned(),
            other_worktree: others.find(|path| path != own && path != repository.root()),
            home: self.probed_home().to_owned(),
            secrets,
            store: self.config().core.database_path.clone(),
            outside: self.dirs.root().to_owned(),
            git: self.probing_git(),
        })
    }

    /// The home directory that no sandbox may write to.
    pub(super) fn probed_home(&self) -> &Path {
        self.environment.home().unwrap_or_else(|| self.dirs.root())
    }

    /// The git program of a probe.
    pub(super) fn probing_git(&self) -> PathBuf {
        let path = self.environment.find(orchestra_config::variables::PATH);
        find_program("git".as_ref(), path).unwrap_or_else(|| "git".into())
    }
}

/// Tells whether it is another sandbox than before; each turn has a proxy of its own.
fn described(sandbox: &Sandbox, hosts: &[String]) -> String {
    let Sandbox {
        writable,
        hidden,
        readable,
        replaced,
        layers,
        network: _,
        helper,
    } = sandbox;
    format!("{writable:?} {hidden:?} {readable:?} {replaced:?} {layers:?} {helper:?} {hosts:?}")
}

/// Layers that would hold it too.
pub(crate) fn missing(layers: &SandboxLayers) -> Vec<SandboxLayer> {
    let names = layers.names();
    let mut wanted = vec![SandboxLayer::Landlock, SandboxLayer::Bubblewrap];
    wanted.retain(|layer| !names.contains(layer));
    wanted
}

fn is_given(sandbox: &Sandbox, path: &Path) -> bool {
    sandbox.writable.iter().any(|it| path.starts_with(it))
}

/// What somebody gave by a setting is no escape.
fn require_held(
    session: &Session,
    found: &ProbeRecord,
    sandbox: &Sandbox,
    targets: &Targets,
) -> Result<(), EngineError> {
    let is_meant = |escape: Escape| match escape {
        Escape::Connection => sandbox.network == Network::Open,
        Escape::Home => is_given(sandbox, &targets.home),
        Escape::MainCheckout => is_given(sandbox, &targets.main_checkout),
        Escape::OtherWorktree => targets
            .other_worktree
            .iter()
            .any(|it| is_given(sandbox, it)),
        Escape::GitConfiguration
        | Escape::HomeSecret
        | Escape::Store
        | Escape::Signal
        | Escape::ProcessMemory
        | Escape::Namespaces => false,
    };
    let escaped = found.attempts.iter().find_map(|it| match &it.outcome {
        Outcome::Succeeded { how } if !is_meant(it.escape) => Some(format!(
            "it was possible to {}, by {how}",
            in_words(it.escape)
        )),
        _ => None,
    });
    let no_commit = found.commit_failure.as_ref();
    let no_commit = no_commit.map(|why| format!("nothing can be committed in it: {why}"));
    match escaped.or(no_commit) {
        None => Ok(()),
        Some(problem) => Err(RuntimeError::NotHeld {
            session: session.id.clone(),
            problem,
        }
        .into()),
    }
}

/// The ways out that a probe tried.
pub(super) fn escapes(found: &ProbeRecord) -> Vec<EscapeRecord> {
    let attempts = found.attempts.iter();
    attempts
        .map(|attempt| {
            let is_late_one_open =
                attempt.escape == Escape::Connection && found.reaches_late_sockets;
            let (end, by) = match &attempt.outcome {
                Outcome::Stopped { by } if is_late_one_open => {
                    (EscapeEnd::Stopped, Some(format!("{by}; {LATE_SOCKETS}")))
                }
                Outcome::Stopped { by } => (EscapeEnd::Stopped, Some(by.to_string())),
                Outcome::Succeeded { how } => (EscapeEnd::Succeeded, Some(how.clone())),
                Outcome::NothingToTry => (EscapeEnd::NotTried, None),
            };
            let escape = in_words(attempt.escape).to_owned();
            EscapeRecord { escape, end, by }
        })
        .collect()
}

const fn in_words(escape: Escape) -> &'static str {
    match escape {
        Escape::MainCheckout => "write to the main checkout",
        Escape::GitConfiguration => "write to git's configuration or hooks",
        Escape::OtherWorktree => "write to another worktree",
        Escape::Home => "write to the home directory",
        Escape::HomeSecret => "read a secret of the home directory",
        Escape::Store => "read the store or write beside it",
        Escape::Signal => "signal a process outside",
        Escape::ProcessMemory => "read the memory of a process outside",
        Escape::Connection => "connect to a port or socket outside",
        Escape::Namespaces => "leave by a link, a mount or a namespace",
    }
}
