//! Fetching what an agent left in its workspace.

use std::collections::BTreeSet;

use orchestra_core::{BranchName, CommitId};

use super::make::is_worth_keeping;
use super::references::{self, CheckedOut, References};
use super::{Workspace, WorkspaceError};
use crate::call::Call;
use crate::error::GitError;
use crate::in_progress::InProgress;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

const STASH: &str = "refs/stash";
/// References of one worktree alone.
const KEPT: &str = "refs/worktree/workspace/";
const WHY: &str = "orchestra: fetched from the workspace";

/// What an agent left in its workspace. The commits are in the repository; nothing points at them yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceWork {
    /// Where the session's branch was when the agent began.
    pub from: Option<CommitId>,
    /// Where it is in the workspace; `None` if it is gone there.
    pub to: Option<CommitId>,
    /// What is checked out instead of that branch.
    pub elsewhere: Option<LeftElsewhere>,
    /// Branches and tags that were made or moved and stay in the workspace, by their short names.
    pub others: Vec<String>,
    /// Whether something is stashed there.
    pub is_stashed: bool,
    /// What git is in the middle of there.
    pub in_progress: Option<InProgress>,
}

/// Something else than the session's branch that an agent left checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftElsewhere {
    /// The branch's name in the workspace; `None` for a bare commit.
    pub name: Option<String>,
    /// The commit.
    pub commit: CommitId,
}

impl WorkspaceWork {
    /// Whether the session's branch has other commits than before.
    #[must_use]
    pub fn is_moved(&self) -> bool {
        self.to.is_some() && self.to != self.from
    }
}

impl Worktree {
    /// Brings the commits that an agent made in its workspace into the repository. No reference and no file changes.
    ///
    /// # Errors
    /// If what is there is not what git makes ([`WorkspaceError::Rejected`]), or git or the file system refuses.
    pub fn fetch_workspace(
        &self,
        workspace: &Workspace,
        branch: &BranchName,
    ) -> Result<WorkspaceWork, WorkspaceError> {
        workspace.require_plain_objects()?;
        let git_dir = workspace.git_dir();
        let found = references::read(&git_dir)?;
        let given = workspace.references_given()?;
        let full_name = branch.full_ref();
        let to = found.get(&full_name).cloned();
        let head = references::head(&git_dir)?;
        let head = head.ok_or_else(|| WorkspaceError::rejected("its HEAD cannot be read"))?;
        let left = left_elsewhere(&head, &found, &full_name);
        // What was not the session's branch before is where it was.
        let is_as_before = workspace.head_given()?.is_some_and(|before| {
            before == head && left == left_elsewhere(&before, &given, &full_name)
        });
        let work = WorkspaceWork {
            from: given.get(&full_name).cloned(),
            to,
            elsewhere: left.filter(|_| !is_as_before),
            others: others(&found, &given, &full_name),
            is_stashed: found.contains_key(STASH),
            in_progress: workspace.in_progress(),
        };
        if let Some(revisions) = revisions(&work, &given) {
            self.repository().take_objects(workspace, revisions)?;
        }
        Ok(work)
    }

    /// Keeps a commit that no branch has, by a reference of this worktree alone. Answers its name.
    ///
    /// # Errors
    /// If git fails.
    pub fn keep_fetched(&self, commit: &CommitId) -> Result<String, GitError> {
        let name = format!("{KEPT}{commit}");
        self.write_own(&name, commit)?;
        Ok(name)
    }

    /// Leaves a bare commit checked out, as an agent did in its workspace.
    ///
    /// # Errors
    /// If git fails.
    pub fn leave_checked_out(&self, commit: &CommitId) -> Result<(), GitError> {
        self.write_own("HEAD", commit)
    }

    /// Stages exactly what a commit has. Files stay as they are, so that what differs is uncommitted.
    ///
    /// # Errors
    /// If git fails.
    pub fn stage_commit(&self, commit: &CommitId) -> Result<(), GitError> {
        let git = self.repository().git();
        let shadow = Shadow::of_worktree(self, commit)?;
        let read = shadow.call("read-tree").args(["--reset", commit.as_str()]);
        git.run(&read)?.require_success()?;
        // It fails for files that differ, which is no failure.
        git.run(&shadow.call("update-index").args(["-q", "--refresh"]))?;
        Ok(())
    }

    fn write_own(&self, name: &str, commit: &CommitId) -> Result<(), GitError> {
        // Of other worktrees, `git gc` asks the logs what is needed, and not the references.
        let call = Call::new("update-ref", self.admin_dir())
            .env("GIT_DIR", self.admin_dir())
            .args(["--no-deref", "--create-reflog", "-m", WHY])
            .args([name, commit.as_str()]);
        let call = self.repository().with_identity(call);
        self.repository().git().run(&call)?.require_success()?;
        Ok(())
    }
}

/// What `HEAD` leads to, unless that is the session's branch.
fn left_elsewhere(head: &CheckedOut, all: &References, own: &str) -> Option<LeftElsewhere> {
    match head {
        CheckedOut::Reference(name) if name == own => None,
        CheckedOut::Reference(name) => all.get(name).map(|commit| LeftElsewhere {
            name: Some(name.trim_start_matches("refs/heads/").to_owned()),
            commit: commit.clone(),
        }),
        CheckedOut::Commit(commit) => Some(LeftElsewhere {
            name: None,
            commit: commit.clone(),
        }),
    }
}

/// What to pack; `None` if nothing is new.
fn revisions(work: &WorkspaceWork, given: &References) -> Option<String> {
    let known: BTreeSet<&CommitId> = given.values().collect();
    let left = work.elsewhere.as_ref().map(|left| &left.commit);
    let tips: BTreeSet<&CommitId> = work.to.iter().chain(left).collect();
    let new: Vec<_> = tips.difference(&known).collect();
    if new.is_empty() {
        return None;
    }
    let wanted = new.iter().map(|tip| format!("{tip}\n"));
    let without = known.iter().map(|tip| format!("^{tip}\n"));
    Some(wanted.chain(without).collect())
}

fn others(found: &References, given: &References, own: &str) -> Vec<String> {
    let is_other = |name: &&String| {
        name.as_str() != own && name.as_str() != STASH && is_worth_keeping(name.as_str())
    };
    let changed = found
        .iter()
        .filter(|(name, id)| given.get(*name) != Some(id))
        .map(|(name, _)| name);
    let short = |name: &String| {
        let name = name.strip_prefix("refs/heads/").unwrap_or(name);
        name.strip_prefix("refs/").unwrap_or(name).to_owned()
    };
    changed.filter(is_other).map(short).collect()
}
