//! Branches and other references: which exist, how they relate, and moving them by compare-and-swap.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use orchestra_core::{BranchName, CommitId, RemoteName};

use crate::base::remote_ref;
#[cfg(target_os = "linux")]
use crate::branch_lock::BranchLock;
use crate::call::Call;
use crate::error::GitError;
use crate::head::Head;
#[cfg(target_os = "linux")]
use crate::history::Parting;
use crate::ref_file::{self, Below, Lookup};
use crate::repository::Repository;
use crate::repository_lock::RepositoryLock;
use crate::worktree::WorktreeError;

/// Commits on each side of two histories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AheadBehind {
    /// Commits only the first one has.
    pub ahead: u64,
    /// Commits only the second one has.
    pub behind: u64,
}

/// A change of a reference that only happens when it still has the expected value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefMove<'a> {
    /// The full name, such as `refs/heads/main`.
    pub full_name: &'a str,
    /// What it must be now; `None`: it must not exist.
    pub from: Option<&'a CommitId>,
    /// What it becomes.
    pub to: &'a CommitId,
    /// The line in the reflog.
    pub why: &'a str,
}

/// Whether a compare-and-swap took place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moved {
    /// The reference has the new value.
    Yes,
    /// It had another value, given here, and was left alone.
    Refused(Option<CommitId>),
}

impl Repository {
    /// The commit a branch points to.
    ///
    /// # Errors
    /// If git fails.
    pub fn find_branch(&self, name: &BranchName) -> Result<Option<CommitId>, GitError> {
        self.find_reference(&name.full_ref())
    }

    /// Where a remote's branch was when it was last fetched or pushed.
    ///
    /// # Errors
    /// If git fails.
    pub fn find_remote_branch(
        &self,
        remote: &RemoteName,
        name: &BranchName,
    ) -> Result<Option<CommitId>, GitError> {
        self.find_reference(&remote_ref(remote, name))
    }

    /// Where the branch of this name is on every remote, as it was seen last.
    ///
    /// # Errors
    /// If git fails.
    pub fn seen_on_remotes(
        &self,
        name: &BranchName,
    ) -> Result<Vec<(RemoteName, CommitId)>, GitError> {
        let names = self.configuration().remote_names().into_iter();
        let mut seen = Vec::new();
        // What is not a plain name cannot be part of a reference.
        for remote in names.filter_map(|name| name.parse::<RemoteName>().ok()) {
            if let Some(commit) = self.find_remote_branch(&remote, name)? {
                seen.push((remote, commit));
            }
        }
        Ok(seen)
    }

    /// Whether a branch exists.
    ///
    /// # Errors
    /// If git fails.
    pub fn branch_exists(&self, name: &BranchName) -> Result<bool, GitError> {
        Ok(self.find_branch(name)?.is_some())
    }

    /// The commit of a branch, which must exist.
    ///
    /// # Errors
    /// If it does not exist or git fails.
    pub fn require_branch(&self, name: &BranchName) -> Result<CommitId, GitError> {
        self.find_branch(name)?
            .ok_or_else(|| self.no_such_local_branch(name))
    }

    /// The branch that keeps `name` from existing: `amp` and `amp/x` exclude each other.
    ///
    /// # Errors
    /// If git fails.
    pub fn branch_conflict(&self, name: &BranchName) -> Result<Option<BranchName>, GitError> {
        let text = name.as_str();
        for (slash, _) in text.match_indices('/') {
            let Ok(parent) = text[..slash].parse::<BranchName>() else {
                continue;
            };
            if self.branch_exists(&parent)? {
                return Ok(Some(parent));
            }
        }
        let below = match ref_file::look_below(self.common_dir(), &name.full_ref()) {
            Below::First(full_name) => full_name,
            Below::Nothing => return Ok(None),
            Below::AskGit => self.ask_for_below(name)?,
        };
        Ok(below
            .strip_prefix("refs/heads/")
            .and_then(|name| name.parse().ok()))
    }

    /// Every local branch whose name sessions could have, in the order of their names.
    ///
    /// # Errors
    /// If git fails.
    pub fn branches(&self) -> Result<Vec<BranchName>, GitError> {
        let names = self.names_below("refs/heads/", 2)?;
        Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
    }

    /// The local branches that are at a commit.
    ///
    /// # Errors
    /// If the commit is missing or git fails.
    pub fn branches_at(&self, commit: &CommitId) -> Result<Vec<BranchName>, GitError> {
        let points_at = format!("--points-at={commit}");
        let call = self.call("for-each-ref").args([
            "--format=%(refname:lstrip=2)",
            &points_at,
            "refs/heads/",
        ]);
        let answer = self.git().run(&call)?.require_success()?;
        let text = String::from_utf8_lossy(&answer.stdout);
        Ok(text.lines().filter_map(|name| name.parse().ok()).collect())
    }

    /// The names of references without their first parts. What is no text is shown as well as it can be.
    pub(crate) fn names_below(&self, prefix: &str, parts: u8) -> Result<Vec<String>, GitError> {
        let format = format!("--format=%(refname:lstrip={parts})");
        let call = self.call("for-each-ref").args([format.as_str(), prefix]);
        let answer = self.git().run(&call)?.require_success()?;
        let text = String::from_utf8_lossy(&answer.stdout);
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn ask_for_below(&self, name: &BranchName) -> Result<String, GitError> {
        let call = self
            .call("for-each-ref")
            .args(["--count=1", "--format=%(refname)"]);
        self.git().line(&call.arg(format!("{}/", name.full_ref())))
    }

    /// Moves a reference if it still has the expected value.
    ///
    /// # Errors
    /// If git fails for another reason than the value.
    pub fn move_reference(&self, change: &RefMove<'_>) -> Result<Moved, GitError> {
        self.move_reference_in(self.common_dir(), change)
    }

    /// The same, seen from one checkout: the reflog of its `HEAD` is written too.
    pub(crate) fn move_reference_in(
        &self,
        git_dir: &Path,
        change: &RefMove<'_>,
    ) -> Result<Moved, GitError> {
        #[cfg(target_os = "linux")]
        if let Some(lock) = BranchLock::take(self, git_dir, change) {
            return lock.commit().map(|()| Moved::Yes);
        }
        let from = change
            .from
            .map_or_else(|| self.object_format().zero_id(), ToString::to_string);
        let call = Call::new("update-ref", git_dir).env("GIT_DIR", git_dir);
        let call = call.args(["--no-deref", "--create-reflog", "-m", change.why]);
        let call = self.with_identity(call.args([change.full_name, change.to.as_str(), &from]));
        let answer = self.git().run(&call)?;
        if answer.is_success() {
            return Ok(Moved::Yes);
        }
        let current = match change.full_name {
            "HEAD" => self.head_in(git_dir)?.commit().cloned(),
            full_name => self.find_reference(full_name)?,
        };
        if current.as_ref() == change.from {
            Err(answer.failure())
        } else {
            Ok(Moved::Refused(current))
        }
    }

    /// Deletes a branch if it still points where the caller thinks and no worktree has it checked out.
    ///
    /// # Errors
    /// If it is checked out, moved, or git fails.
    pub fn delete_branch(
        &self,
        name: &BranchName,
        expected: &CommitId,
    ) -> Result<(), WorktreeError> {
        let _lock = RepositoryLock::take(self)?;
        if let Some(place) = self.checked_out_at(name)? {
            return Err(WorktreeError::BranchCheckedOut {
                branch: name.clone(),
                place,
            });
        }
        self.delete_branch_unchecked(name, expected)
    }

    /// The compare-and-swap alone, for a branch that is known to be ours.
    pub(crate) fn delete_branch_unchecked(
        &self,
        name: &BranchName,
        expected: &CommitId,
    ) -> Result<(), WorktreeError> {
        let call =
            self.call("update-ref")
                .args(["--no-deref", "-d", &name.full_ref(), expected.as_str()]);
        let answer = self.git().run(&call)?;
        if answer.is_success() {
            return Ok(());
        }
        match self.find_branch(name)? {
            Some(current) if &current == expected => Err(answer.failure().into()),
            current => Err(WorktreeError::BranchMoved {
                branch: name.clone(),
                expected: expected.clone(),
                current,
            }),
        }
    }

    /// Whether an object exists and is a commit.
    ///
    /// # Errors
    /// If git cannot be run.
    pub fn commit_exists(&self, id: &CommitId) -> Result<bool, GitError> {
        let call = self
            .objects()?
            .call("cat-file")
            .args(["-e", &format!("{id}^{{commit}}")]);
        Ok(self.git().run(&call)?.is_success())
    }

    /// Whether `ancestor` is part of the history of `descendant`.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn is_ancestor(
        &self,
        ancestor: &CommitId,
        descendant: &CommitId,
    ) -> Result<bool, GitError> {
        #[cfg(target_os = "linux")]
        if let Some(parting) = self.part_directly(ancestor, descendant) {
            return Ok(parting.own.is_empty());
        }
        let call = self.objects()?.call("merge-base").args([
            "--is-ancestor",
            ancestor.as_str(),
            descendant.as_str(),
        ]);
        let answer = self.git().run(&call)?;
        if answer.exited_with(1) {
            Ok(false)
        } else {
            answer.require_success().map(|_| true)
        }
    }

    /// Those of the commits that none of the tips has in its history: one git process, however many there are.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn not_part_of(
        &self,
        commits: &[CommitId],
        tips: &[CommitId],
    ) -> Result<BTreeSet<CommitId>, GitError> {
        if commits.is_empty() || tips.is_empty() {
            return Ok(commits.iter().cloned().collect());
        }
        let wanted = commits.iter().map(|commit| format!("{commit}\n"));
        let known = tips.iter().map(|tip| format!("^{tip}\n"));
        let lines: String = wanted.chain(known).collect();
        let call = self.objects()?.call("rev-list").arg("--stdin");
        let answer = self.git().run(&call.stdin(lines.into_bytes()))?;
        let text = answer.require_success()?.text()?;
        let only_there: BTreeSet<&str> = text.lines().collect();
        let is_left = |commit: &&CommitId| only_there.contains(commit.as_str());
        Ok(commits.iter().filter(is_left).cloned().collect())
    }

    /// The best common ancestor.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn merge_base(
        &self,
        one: &CommitId,
        other: &CommitId,
    ) -> Result<Option<CommitId>, GitError> {
        #[cfg(target_os = "linux")]
        if let Some(parting) = self.part_directly(one, other) {
            return Ok(Some(parting.fork));
        }
        let call = self
            .objects()?
            .call("merge-base")
            .args([one.as_str(), other.as_str()]);
        let answer = self.git().run(&call)?;
        if answer.exited_with(1) {
            return Ok(None);
        }
        let text = answer.require_success()?.text()?;
        let id = text
            .trim_end()
            .parse()
            .map_err(|_| call.unreadable("it is not a commit id"))?;
        Ok(Some(id))
    }

    /// How many commits each of two histories has that the other has not.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn ahead_behind(&self, one: &CommitId, other: &CommitId) -> Result<AheadBehind, GitError> {
        #[cfg(target_os = "linux")]
        if let Some(parting) = self.part_directly(one, other) {
            return Ok(AheadBehind::of(&parting));
        }
        let range = format!("{one}...{other}");
        let call = self
            .objects()?
            .call("rev-list")
            .args(["--left-right", "--count", &range, "--"]);
        let text = self.git().run(&call)?.require_success()?.text()?;
        AheadBehind::parse(&text).ok_or_else(|| call.unreadable("two numbers were expected"))
    }

    pub(crate) fn find_reference(&self, full_name: &str) -> Result<Option<CommitId>, GitError> {
        match ref_file::look_up(self.common_dir(), full_name) {
            Lookup::Found(id) => Ok(Some(id)),
            Lookup::Missing => Ok(None),
            Lookup::AskGit => self.ask_for_reference(full_name),
        }
    }

    fn ask_for_reference(&self, full_name: &str) -> Result<Option<CommitId>, GitError> {
        let call =
            self.call("rev-parse")
                .args(["--verify", "--quiet", "--end-of-options", full_name]);
        let answer = self.git().run(&call)?;
        if answer.exited_with(1) {
            return Ok(None);
        }
        let text = answer.require_success()?.text()?;
        text.trim_end()
            .parse()
            .map(Some)
            .map_err(|_| call.unreadable("it is not a commit id"))
    }

    /// Where a branch is checked out, judged by every worktree's `HEAD`.
    pub(crate) fn checked_out_at(&self, name: &BranchName) -> Result<Option<PathBuf>, GitError> {
        for worktree in self.worktrees_on_disk()? {
            let on_it = |head: Head| head.branch() == Some(name);
            if worktree.head().is_ok_and(on_it) {
                return Ok(Some(worktree.path().to_owned()));
            }
        }
        Ok(None)
    }
}

impl AheadBehind {
    #[cfg(target_os = "linux")]
    pub(crate) fn of(parting: &Parting) -> Self {
        Self {
            ahead: parting.own.len() as u64,
            behind: parting.others as u64,
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split_ascii_whitespace().map(str::parse);
        let (ahead, behind) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        Some(Self { ahead, behind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_two_numbers() {
        assert_eq!(
            AheadBehind::parse("3\t4\n"),
            Some(AheadBehind {
                ahead: 3,
                behind: 4
            })
        );
        assert_eq!(
            AheadBehind::parse("3 4"),
            Some(AheadBehind {
                ahead: 3,
                behind: 4
            })
        );
        assert_eq!(AheadBehind::parse("3"), None);
        assert_eq!(AheadBehind::parse("x y"), None);
    }
}
