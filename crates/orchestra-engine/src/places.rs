//! Where things of a session are: its repository, its worktree, its output files, its mark on processes.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use orchestra_config::child_env::Variables;
use orchestra_config::variables;
use orchestra_core::{IterationNumber, ScriptRun, Session, SessionId};
use orchestra_git::{Repository, Worktree};
use orchestra_process::Marker;

use crate::landing::require_not_in_trash;
use crate::{Engine, EngineError, output};

/// The files that have an iteration's output.
#[derive(Debug, Clone)]
pub(crate) struct OutputFiles {
    pub(crate) stdout: PathBuf,
    pub(crate) stderr: PathBuf,
    pub(crate) agent_log: PathBuf,
    /// Settings of the agent for this run alone.
    pub(crate) settings: PathBuf,
    /// The program that the agent asks whether it may use a tool.
    pub(crate) hook: PathBuf,
    /// What was around the worktree before the agent ran, until it was compared.
    pub(crate) guard: PathBuf,
    /// What changed there.
    pub(crate) guard_diff: PathBuf,
    /// What the agent is told of MCP servers; it has secrets.
    pub(crate) mcp: PathBuf,
    /// The servers that only we talk with; it has secrets.
    pub(crate) gates: PathBuf,
}

impl Engine {
    /// The session's repository, opened.
    pub(crate) fn repository_of(&self, session: &Session) -> Result<Repository, EngineError> {
        let record = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.repository(session.repository)?))?;
        self.open_recorded(&record.root)
    }

    /// A repository at the place that is recorded for it.
    pub(crate) fn open_recorded(&self, root: &Path) -> Result<Repository, EngineError> {
        if !root.exists() {
            return Err(EngineError::RepositoryMissing {
                root: root.to_owned(),
            });
        }
        Ok(self.git()?.open(root)?)
    }

    /// The session's worktree, found by git's own list.
    pub(crate) fn worktree_of(&self, session: &Session) -> Result<Worktree, EngineError> {
        require_not_in_trash(session)?;
        let repository = self.repository_of(session)?;
        if !session.worktree.is_dir() {
            return Err(EngineError::WorktreeMissing {
                session: session.id.clone(),
                worktree: session.worktree.clone(),
            });
        }
        Ok(repository.worktree_at(&session.worktree)?)
    }

    /// The session's worktree; `None` if its directory is gone or in the trash.
    pub(crate) fn find_worktree_of(
        &self,
        session: &Session,
    ) -> Result<Option<Worktree>, EngineError> {
        match self.worktree_of(session) {
            Err(EngineError::WorktreeMissing { .. } | EngineError::InTrash { .. }) => Ok(None),
            found => found.map(Some),
        }
    }

    /// The output files of an iteration; their directory is made.
    pub(crate) fn output_files(
        &self,
        session: &SessionId,
        number: IterationNumber,
    ) -> Result<OutputFiles, EngineError> {
        let directory = self.dirs.output().join(session.as_str());
        self.create_private_dir(&directory)?;
        Ok(OutputFiles {
            stdout: directory.join(format!("{number}.jsonl")),
            stderr: directory.join(format!("{number}.err")),
            agent_log: directory.join(format!("{number}.agent.log")),
            settings: directory.join(format!("{number}.settings.json")),
            hook: directory.join(format!("{number}.permission")),
            guard: directory.join(format!("{number}.guard")),
            guard_diff: directory.join(format!("{number}.guard.diff")),
            mcp: directory.join(format!("{number}.mcp.json")),
            gates: directory.join(format!("{number}.gates.json")),
        })
    }

    /// The agent writes its own log, and nobody but us keeps secrets out of it.
    pub(crate) fn clean_agent_log(&self, files: &OutputFiles) {
        if let Err(error) = output::redact_file(&files.agent_log, &self.redactor) {
            tracing::warn!(%error, "the agent's log could not be kept");
        }
    }

    pub(crate) fn create_private_dir(&self, directory: &Path) -> Result<(), EngineError> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory).map_err(|source| {
            EngineError::io(
                format!("make the directory {}", directory.display()),
                source,
            )
        })
    }

    /// The mark on every process of one run, unique across stores.
    pub(crate) fn marker(&self, session: &SessionId, run: &str) -> Result<Marker, EngineError> {
        let epoch = self.store.epoch()?;
        Ok(Marker::new(
            variables::ORCHESTRA_RUN,
            format!("{epoch}:{session}:{run}"),
        ))
    }

    /// The same for a script run.
    pub(crate) fn marker_of_run(&self, run: &ScriptRun) -> Result<Marker, EngineError> {
        self.marker(&run.session, &format!("script-{}", run.key))
    }

    /// The model the settings name for an agent.
    /// The model that the agent of a session is asked for.
    pub(crate) fn model_of(&self, session: &Session) -> Option<String> {
        let own = session.model.clone();
        own.or_else(|| self.agent_model(&session.agent))
    }

    /// The variables that a session has for itself.
    pub(crate) fn own_variables(&self, session: &Session) -> Result<Variables, EngineError> {
        let own = self.session_environment(&session.id)?.variables.into_iter();
        Ok(own
            .map(|(name, value)| (name.into(), value.into()))
            .collect())
    }

    pub(crate) fn agent_model(&self, agent: &str) -> Option<String> {
        self.config()
            .agents
            .named
            .get(agent)
            .and_then(|agent| agent.model.clone())
    }
}

/// Opens a file that is only ever added to, and that is the owner's alone; it is made if it is missing.
///
/// # Errors
/// If the file system refuses.
pub fn open_append_only(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).read(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Writes a file that is its owner's alone from the beginning.
pub(crate) fn write_private(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    use std::io::Write;
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _unused = mode;
    options.open(path)?.write_all(bytes)
}
