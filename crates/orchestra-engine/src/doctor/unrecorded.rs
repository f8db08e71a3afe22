//! Work on disk that the records do not know: what is shown after a database was restored or made anew.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use orchestra_core::{BranchName, Session};
use orchestra_git::{Repository, WorktreeEntry};

use super::{Check, Health};
use crate::{Engine, EngineError};

impl Engine {
    /// Worktrees, branches and output that belong to no session, in every known repository and in the one given.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn unrecorded_work(&self, here: Option<&Path>) -> Result<Vec<Check>, EngineError> {
        let sessions = self.all_sessions()?;
        let repositories = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.repositories()?))?;
        let known = repositories.into_iter().map(|repository| repository.root);
        let roots: BTreeSet<PathBuf> = known.chain(here.map(Path::to_owned)).collect();
        let mut checks = Vec::new();
        for root in roots {
            match self.unrecorded_in(&root, &sessions) {
                Ok(found) => checks.extend(found),
                Err(error) => {
                    tracing::warn!(code = error.code(), %error, root = %root.display(), "cannot look for worktrees")
                }
            }
        }
        checks.extend(self.unrecorded_output(&sessions));
        Ok(checks)
    }

    fn unrecorded_in(&self, root: &Path, sessions: &[Session]) -> Result<Vec<Check>, EngineError> {
        let repository = self.git()?.open(root)?;
        let name = format!("repository {}", root.display());
        let worktrees = repository.list_worktrees()?;
        let linked = worktrees.iter().skip(1);
        let recorded = |entry: &WorktreeEntry| {
            let same = |session: &Session| session.worktree == entry.path;
            sessions.iter().any(same)
        };
        let adoptable = linked.filter(|entry| entry.branch.is_some() && !recorded(entry));
        let mut checks: Vec<Check> = adoptable
            .map(|entry| worktree_check(&name, entry))
            .collect();
        let branches = self.unrecorded_branches(&repository, &worktrees, sessions)?;
        checks.extend(branches.iter().map(|branch| branch_check(&name, branch)));
        Ok(checks)
    }

    /// Branches that look like a session's and are checked out nowhere.
    fn unrecorded_branches(
        &self,
        repository: &Repository,
        worktrees: &[WorktreeEntry],
        sessions: &[Session],
    ) -> Result<Vec<BranchName>, EngineError> {
        let beginning = self.config().git.branch_pattern.beginning();
        if beginning.is_empty() {
            return Ok(Vec::new());
        }
        let of_sessions = sessions.iter().map(|session| session.branch.as_str());
        let checked_out = worktrees.iter().filter_map(|entry| entry.branch.as_deref());
        let accounted: HashSet<&str> = of_sessions.chain(checked_out).collect();
        let branches = repository.branches()?.into_iter();
        Ok(branches
            .filter(|branch| branch.as_str().starts_with(beginning))
            .filter(|branch| !accounted.contains(branch.as_str()))
            .collect())
    }

    /// What agents said in sessions that the records do not know.
    fn unrecorded_output(&self, sessions: &[Session]) -> Option<Check> {
        let known: HashSet<&str> = sessions.iter().map(|session| session.id.as_str()).collect();
        let folders = std::fs::read_dir(self.dirs.output()).ok()?.flatten();
        let names = folders.filter_map(|folder| folder.file_name().into_string().ok());
        let mut lost: Vec<String> = names
            .filter(|name| !known.contains(name.as_str()))
            .collect();
        lost.sort();
        (!lost.is_empty()).then(|| {
            let detail = format!(
                "there is output of sessions without a record: {}",
                lost.join(", ")
            );
            let place = format!("it is kept in {}", self.dirs.output().display());
            Check::new("output", Health::Note, detail).hint(place)
        })
    }
}

fn worktree_check(name: &str, entry: &WorktreeEntry) -> Check {
    let path = entry.path.display();
    let branch = entry.branch.as_deref().unwrap_or_default();
    let detail = format!("no session is recorded for the worktree {path} (branch {branch})");
    Check::new(name, Health::Note, detail).hint(format!(
        "`orchestra worktree adopt '{path}'` makes a session of it"
    ))
}

fn branch_check(name: &str, branch: &BranchName) -> Check {
    let detail = format!("no session is recorded for the branch {branch}");
    Check::new(name, Health::Note, detail).hint(format!(
        "`orchestra session new --branch {branch} --name <name> --prompt <prompt>` goes on with it"
    ))
}
