//! Artifacts: files that sessions make and people want to keep, such as reports. They are collected from worktrees into one
//! folder of the repository, under names that say whose they are. A worktree is hostile: links are never followed.

mod find;
mod put;

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use orchestra_core::{Artifact, EventBody, Session, SessionId, first_of, visible_line};
use orchestra_git::Repository;

use find::Search;
use put::remove_abandoned_files;

use crate::copy_files::{Directory, is_of_another_kind};
use crate::{Engine, EngineError};

/// The folder of the repository.
pub(crate) const FOLDER: &str = "artifacts";
/// Files that are left out are named so far where nobody asked for artifacts.
const MOST_NAMED: usize = 3;

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

impl Collected {
    /// What was wanted and not collected, in one line.
    fn left_out_in_words(&self) -> Option<String> {
        let files = self.left_out.iter();
        let names = files.map(|(path, why)| {
            let path = visible_line(&path.to_string_lossy());
            format!("{path} ({why})")
        });
        let names = first_of(names, MOST_NAMED);
        (!names.is_empty()).then(|| format!("artifacts left out: {names}"))
    }
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
        let (folder, opened) = self.artifacts_folder(worktree.repository())?;
        let mut search = Search::new(&self.config().artifacts, worktree.ignored()?);
        let files = search.run(worktree.path(), |file, source| {
            self.put_artifact(session, &opened, file, source)
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

    /// Opens a file that was collected from a session; `None` if there is none of this name, or it is gone.
    ///
    /// # Errors
    /// If there is no such session, or the file cannot be opened.
    pub fn open_artifact(&self, id: &SessionId, name: &str) -> Result<Option<File>, EngineError> {
        let (artifacts, folder) = self.artifacts(id)?;
        if !artifacts.iter().any(|artifact| artifact.name == name) {
            return Ok(None);
        }
        let opened = Directory::open(&folder).and_then(|folder| folder.file(OsStr::new(name)));
        match opened {
            Err(error) if is_gone(&error) => Ok(None),
            opened => opened.map(Some).map_err(|source| {
                let path = folder.join(name);
                EngineError::io(format!("read {}", path.display()), source)
            }),
        }
    }

    /// Collects at a moment nobody chose, and answers what was not collected. What goes wrong there is no reason to stop: the
    /// files are still where they were.
    pub(crate) fn collect_artifacts_if_set(&self, session: &Session) -> Option<String> {
        if self.config().artifacts.is_empty() {
            return None;
        }
        match self.collect_artifacts(&session.id) {
            Ok(collected) => collected.left_out_in_words(),
            Err(error) => {
                tracing::warn!(code = error.code(), %error, "artifacts were not collected");
                let why = crate::chain::text(&error);
                Some(format!("artifacts were not collected: {why}"))
            }
        }
    }

    /// The folder, which is made if it is missing and is kept out of the user's status. It stays the one that was opened,
    /// whatever is put in its place.
    fn artifacts_folder(
        &self,
        repository: &Repository,
    ) -> Result<(PathBuf, Directory), EngineError> {
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
        repository.keep_out_of_status(&folder)?;
        let opened = make_directory(&folder).and_then(|()| {
            let opened = Directory::open(&folder)?;
            remove_abandoned_files(&opened)?;
            Ok(opened)
        });
        let opened =
            opened.map_err(|error| EngineError::io(format!("use {}", folder.display()), error))?;
        Ok((folder, opened))
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

/// Nothing is there, or something that nobody collected.
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || is_of_another_kind(error)
}

fn make_directory(folder: &Path) -> io::Result<()> {
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
