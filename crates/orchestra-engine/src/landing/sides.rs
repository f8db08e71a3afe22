//! The versions of one file in conflict, side by side.

use std::io::{self, Read};
use std::path::Path;

use orchestra_core::{EntryMode, SessionId};
use orchestra_git::{ConflictedFile, Content, ResolveError, Stage, find_conflict};

use super::{Conflicts, HistoryError};
use crate::copy_files::Directory;
use crate::{Engine, EngineError};

/// The largest version that is shown.
const LARGEST: u64 = 1024 * 1024;

/// A file in conflict with what each side has.
#[derive(Debug, Clone)]
pub struct ConflictSides {
    /// The conflicts it is one of.
    pub conflicts: Conflicts,
    /// The file.
    pub file: ConflictedFile,
    /// What both sides started from; `None` if there is no such version, or it is a submodule.
    pub base: Option<Content>,
    /// The version of the base.
    pub ours: Option<Content>,
    /// The version of the session.
    pub theirs: Option<Content>,
    /// What is in the worktree, if a rebase waits there.
    pub worktree: Option<Content>,
}

impl Engine {
    /// What each side has of one file in conflict. Large versions are left out.
    ///
    /// # Errors
    /// If the file has no conflict, or git fails.
    pub fn conflict_sides(
        &self,
        id: &SessionId,
        path: &Path,
    ) -> Result<ConflictSides, EngineError> {
        let conflicts = self.conflicts(id)?;
        let file = require_file(&conflicts, path)?;
        let session = self.session(id)?.session;
        let has_content = |stage: &&Stage| stage.mode != EntryMode::Submodule;
        let shown = |stage: &Option<Stage>| stage.as_ref().filter(has_content).cloned();
        let stages = [&file.base, &file.ours, &file.theirs].map(shown);
        let objects: Vec<_> = stages
            .iter()
            .flatten()
            .map(|it| it.object.clone())
            .collect();
        let contents = self.repository_of(&session)?.contents(&objects, LARGEST)?;
        let mut contents = contents.into_iter();
        let [base, ours, theirs] = stages.map(|stage| stage.and_then(|_| contents.next()));
        let worktree = match conflicts.in_progress {
            true => read_in(&session.worktree, &file.path)
                .map_err(|source| EngineError::io("read the file", source))?,
            false => None,
        };
        Ok(ConflictSides {
            conflicts,
            file,
            base,
            ours,
            theirs,
            worktree,
        })
    }
}

fn require_file(conflicts: &Conflicts, path: &Path) -> Result<ConflictedFile, HistoryError> {
    let found = find_conflict(&conflicts.files, path);
    let paths = conflicts.files.iter().map(|file| file.path.clone());
    let missing = || ResolveError::NotConflicted {
        path: path.to_owned(),
        conflicts: paths.collect(),
    };
    Ok(found.cloned().ok_or_else(missing)?)
}

/// A file of a worktree, or nothing if no file is there. No link is followed.
fn read_in(worktree: &Path, path: &Path) -> io::Result<Option<Content>> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(None);
    };
    let opened = Directory::open(worktree)
        .and_then(|top| top.below(parent))
        .and_then(|directory| directory.file(name));
    let file = match opened {
        Ok(file) => file,
        Err(error) if is_no_file(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let size = file.metadata()?.len();
    if size > LARGEST {
        return Ok(Some(Content::TooLarge(size)));
    }
    let mut content = Vec::new();
    file.take(LARGEST).read_to_end(&mut content)?;
    Ok(Some(Content::Whole(content)))
}

/// A link or a directory is none, either.
fn is_no_file(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory
    )
}
