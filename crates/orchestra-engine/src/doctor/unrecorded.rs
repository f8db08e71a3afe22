//! Work on disk that the records do not know: worktrees of ours, and more after a database was restored or made anew.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use orchestra_core::{BranchName, Session};
use orchestra_git::{Repository, WorktreeEntry};

use super::{Diagnosis, Health};
use crate::{Engine, EngineError};

/// How much is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    /// Worktrees that only sessions have: in the folder for them, or on a branch named like theirs.
    OurWorktrees,
    /// Every worktree, branches and output too: records were lost.
    Everything,
}

impl Engine {
    /// What belongs to no session, in every known repository and in the one given.
    pub(super) fn unrecorded_work(
        &self,
        here: Option<&Path>,
        breadth: Breadth,
    ) -> Result<Vec<Diagnosis>, EngineError> {
        let sessions = self.all_sessions()?;
        let repositories = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.repositories()?))?;
        let known = repositories.into_iter().map(|repository| repository.root);
        let roots: BTreeSet<PathBuf> = known.chain(here.map(Path::to_owned)).collect();
        let mut checks = Vec::new();
        for root in roots {
            match self.unrecorded_in(&root, &sessions, breadth) {
                Ok(found) => checks.extend(found),
                // A repository that cannot be asked has a row of its own.
                Err(error) => {
                    tracing::debug!(code = error.code(), %error, root = %root.display(), "cannot look for worktrees")
                }
            }
        }
        if breadth == Breadth::Everything {
            checks.extend(self.unrecorded_output(&sessions));
        }
        Ok(checks)
    }

    fn unrecorded_in(
        &self,
        root: &Path,
        sessions: &[Session],
        breadth: Breadth,
    ) -> Result<Vec<Diagnosis>, EngineError> {
        let repository = self.git()?.open(root)?;
        let name = format!("repository {}", root.display());
        let worktrees = repository.list_worktrees()?;
        let linked = worktrees.iter().skip(1);
        let recorded = |entry: &WorktreeEntry| {
            let same = |session: &Session| session.worktree == entry.path;
            sessions.iter().any(same)
        };
        let wanted = |entry: &WorktreeEntry| {
            breadth == Breadth::Everything || self.is_ours(repository.root(), entry)
        };
        let adoptable =
            linked.filter(|entry| entry.branch.is_some() && !recorded(entry) && wanted(entry));
        let mut checks: Vec<Diagnosis> = adoptable
            .map(|entry| worktree_check(&name, entry))
            .collect();
        if breadth == Breadth::Everything {
            let branches = self.unrecorded_branches(&repository, &worktrees, sessions)?;
            checks.extend(branches.iter().map(|branch| branch_check(&name, branch)));
        }
        Ok(checks)
    }

    fn is_ours(&self, root: &Path, entry: &WorktreeEntry) -> bool {
        let beginning = self.config().git.branch_pattern.beginning();
        let named_like_ours = entry
            .branch
            .as_deref()
            .is_some_and(|branch| !beginning.is_empty() && branch.starts_with(beginning));
        let folder = self.config().core.worktrees_root_of(root);
        named_like_ours || entry.path.starts_with(folder)
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
    fn unrecorded_output(&self, sessions: &[Session]) -> Option<Diagnosis> {
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
            Diagnosis::new("output", Health::Note, detail).hint(place)
        })
    }
}

fn worktree_check(name: &str, entry: &WorktreeEntry) -> Diagnosis {
    let path = entry.path.display();
    let branch = entry.branch.as_deref().unwrap_or_default();
    let detail = format!("no session is recorded for the worktree {path} (branch {branch})");
    Diagnosis::new(name, Health::Note, detail).hint(format!(
        "`orchestra worktree adopt '{path}'` makes a session of it"
    ))
}

fn branch_check(name: &str, branch: &BranchName) -> Diagnosis {
    let detail = format!("no session is recorded for the branch {branch}");
    Diagnosis::new(name, Health::Note, detail).hint(format!(
        "`orchestra session new --branch {branch} --name <name> --prompt <prompt>` goes on with it"
    ))
}
