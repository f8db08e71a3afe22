//! Artifacts: files that sessions make and people want to keep, such as reports. They are collected from worktrees into one
//! folder of the repository, under names that say whose they are. A worktree is hostile: links are never followed.

mod find;
mod put;

use std::io;
use std::path::{Path, PathBuf};

use orchestra_core::{Artifact, EventBody, Session, SessionId};
use orchestra_git::Repository;

use find::Search;
use put::remove_abandoned_files;

use crate::{Engine, EngineError};

/// The folder of the repository.
const FOLDER: &str = "artifacts";

/// What was collected from a session's worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collected {
    /// Where the artifacts are.
    pub folder: PathBuf,
    /// How many files were collected now.
    pub files: usize,
    /// Everything that was ever collected from it, by name.
    pub artifacts: Vec<Artifact>,
    /// What was wanted and not collected, and why.
    pub left_out: Vec<(PathBuf, String)>,
}

impl Engine {
    /// Collects what `artifacts.paths` names in a session's worktree. A file that was collected before is replaced; one of
    /// another session or of somebody else never is.
    ///
    /// # Errors
    /// If nothing is set, the worktree is gone, or the folder cannot be used.
    pub fn collect_artifacts(&self, id: &SessionId) -> Result<Collected, EngineError> {
        if self.config().artifacts.is_empty() {
            return Err(EngineError::Invalid {
                problem: "artifacts.paths names no files to collect".to_owned(),
                way_out: Some(
                    "name them in .orchestra/config.toml: [artifacts] paths = [\"reports/*.xml\"]"
                        .to_owned(),
                ),
            });
        }
        let view = self.session(id)?;
        let session = &view.session;
        let worktree = self.worktree_of(session)?;
        let folder = self.artifacts_folder(worktree.repository())?;
        let mut search = Search::new(&self.config().artifacts, worktree.ignored()?);
        let files = search.run(worktree.path(), |file, source| {
            self.put_artifact(session, &folder, file, source)
        })?;
        self.tell_collected(session, files)?;
        let (artifacts, _) = self.artifacts(id)?;
        Ok(Collected {
            folder,
            files,
            artifacts,
            left_out: search.left_out,
        })
    }

    /// What was collected from a session so far, and where it is.
    ///
    /// # Errors
    /// If there is no such session.
    pub fn artifacts(&self, id: &SessionId) -> Result<(Vec<Artifact>, PathBuf), EngineError> {
        let root = self.session(id)?.repository.root;
        let artifacts = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.artifacts(id)?))?;
        let is_whole = |artifact: &Artifact| artifact.bytes.is_some();
        Ok((
            artifacts.into_iter().filter(is_whole).collect(),
            root.join(FOLDER),
        ))
    }

    /// Collects at a moment nobody chose. What goes wrong there is no reason to stop: the files are still where they were.
    pub(crate) fn collect_artifacts_if_set(&self, session: &Session) -> Option<String> {
        if self.config().artifacts.is_empty() {
            return None;
        }
        let error = self.collect_artifacts(&session.id).err()?;
        tracing::warn!(code = error.code(), %error, "artifacts were not collected");
        Some(format!(
            "artifacts were not collected: {}",
            crate::chain::text(&error)
        ))
    }

    /// The folder, which is made if it is missing and is kept out of the user's status.
    fn artifacts_folder(&self, repository: &Repository) -> Result<PathBuf, EngineError> {
        let folder = repository.root().join(FOLDER);
        let unsuitable = |reason: String| EngineError::Invalid {
            problem: format!(
                "artifacts cannot be collected in {}: {reason}",
                folder.display()
            ),
            way_out: Some(
                "artifacts have this folder for themselves: move what is there".to_owned(),
            ),
        };
        if folder.is_symlink() {
            return Err(unsuitable("it is a link".to_owned()));
        }
        if let Some(reason) = repository.find_unsuitable(&folder)? {
            return Err(unsuitable(reason.to_string()));
        }
        repository.exclude_directory(&folder)?;
        let made = make_directory(&folder).and_then(|()| remove_abandoned_files(&folder));
        made.map_err(|error| EngineError::io(format!("use {}", folder.display()), error))?;
        Ok(folder)
    }

    fn tell_collected(&self, session: &Session, files: usize) -> Result<(), EngineError> {
        if files == 0 {
            return Ok(());
        }
        self.write_stream(|tx| {
            let collected = EventBody::ArtifactsCollected { files };
            tx.append_event(Some(&session.id), &collected)?;
            Ok(())
        })
    }
}

fn make_directory(folder: &Path) -> io::Result<()> {
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
