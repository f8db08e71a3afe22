//! The stash, which all worktrees share: what came to it, and taking that out again without losing anything.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use orchestra_core::BranchName;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::SurroundingChange;
use crate::call::Call;
use crate::error::{AtPath, GitError};
use crate::ref_file::{Lookup, look_up};
use crate::worktree::Worktree;

const STASH: &str = "refs/stash";
const LOG: &str = "logs/refs/stash";
/// References of one worktree alone: others see them neither in `log --all` nor in a push of everything.
const KEPT: &str = "refs/worktree/stash/";

/// One entry of the stash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StashEntry {
    /// Its commit.
    pub commit: String,
    /// What git calls it, such as `WIP on main: 1234567 subject`.
    pub message: String,
}

impl StashEntry {
    /// Whether it was made with this branch checked out.
    #[must_use]
    pub fn is_of(&self, branch: &BranchName) -> bool {
        let message = self.message.strip_prefix("WIP on ");
        let message = message.or_else(|| self.message.strip_prefix("On "));
        message.is_some_and(|rest| {
            rest.strip_prefix(branch.as_str())
                .is_some_and(|rest| rest.starts_with(':'))
        })
    }

    /// The reference that keeps it in the worktree it was taken to.
    #[must_use]
    pub fn kept_reference(&self) -> String {
        format!("{KEPT}{}", self.commit)
    }
}

/// All entries, the newest first.
pub(super) fn entries(common: &Path) -> Result<Vec<StashEntry>, GitError> {
    let text = read_log(common)?;
    let mut entries: Vec<_> = text.lines().filter_map(entry).collect();
    entries.reverse();
    Ok(entries)
}

fn read_log(common: &Path) -> Result<String, GitError> {
    let path = common.join(LOG);
    match std::fs::read(&path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(GitError::io(&path, error)),
    }
}

/// `<old> <new> <who and when>\t<message>`.
fn entry(line: &str) -> Option<StashEntry> {
    let (head, message) = line.split_once('\t').unwrap_or((line, ""));
    let commit = head.split(' ').nth(1)?;
    Some(StashEntry {
        commit: commit.to_owned(),
        message: message.to_owned(),
    })
}

pub(super) fn difference(before: &[StashEntry], now: &[StashEntry]) -> Option<SurroundingChange> {
    let without = |all: &[StashEntry], others: &[StashEntry]| -> Vec<StashEntry> {
        let is_other = |entry: &&StashEntry| others.iter().all(|it| it.commit != entry.commit);
        all.iter().filter(is_other).cloned().collect()
    };
    let (added, removed) = (without(now, before), without(before, now));
    let is_same = added.is_empty() && removed.is_empty();
    (!is_same).then_some(SurroundingChange::Stash { added, removed })
}

impl Worktree {
    /// Keeps entries of the stash, whether they are still there or not, by references of this worktree alone.
    ///
    /// # Errors
    /// If git fails; then nothing was taken out of the stash.
    pub fn keep_stash(&self, entries: &[StashEntry]) -> Result<(), GitError> {
        for entry in entries {
            let reference = entry.kept_reference();
            // Of other worktrees, `git gc` asks the logs what is needed, and not the references.
            let call = Call::new("update-ref", self.path())
                .env("GIT_DIR", self.admin_dir())
                .args(["--create-reflog", "-m", "kept from the stash"])
                .args([&reference, &entry.commit]);
            self.repository().git().run(&call)?.require_success()?;
        }
        Ok(())
    }

    /// Takes entries that are kept out of the stash that all worktrees share. Answers whether they are out: if somebody else
    /// is at it, or its form is not known, the stash stays as it is.
    ///
    /// # Errors
    /// If git or the file system refuses.
    pub fn take_out_of_stash(&self, taken: &[StashEntry]) -> Result<bool, GitError> {
        let common = self.repository().common_dir();
        if common.join("reftable").exists() {
            return Ok(false);
        }
        let Some(lock) = StashLock::take(common)? else {
            return Ok(false);
        };
        let log = read_log(common)?;
        let taken: BTreeSet<_> = taken.iter().map(|entry| entry.commit.as_str()).collect();
        let left = without_lines(&log, &taken);
        let Lookup::Found(top) = look_up(common, STASH) else {
            return Ok(false);
        };
        let is_whole = log.lines().filter_map(entry).next_back();
        if is_whole.is_none_or(|newest| newest.commit != top.as_str()) {
            return Ok(false);
        }
        match left.lines().filter_map(entry).next_back() {
            Some(newest) => self.put_stash(&left, &newest.commit),
            None => {
                drop(lock);
                self.delete_stash(top.as_str())
            }
        }
    }

    /// The log first: what git lists comes from it.
    fn put_stash(&self, log: &str, newest: &str) -> Result<bool, GitError> {
        let common = self.repository().common_dir();
        replace(&common.join(LOG), log.as_bytes())?;
        replace(&common.join(STASH), format!("{newest}\n").as_bytes())?;
        Ok(true)
    }

    /// git deletes it with its log, unless somebody added to it meanwhile.
    fn delete_stash(&self, top: &str) -> Result<bool, GitError> {
        let call = self.repository().call("update-ref");
        let call = call.args(["-d", STASH, top]);
        Ok(self.repository().git().run(&call)?.is_success())
    }
}

/// The lines that are left, each beginning with where the one before ends.
fn without_lines(log: &str, taken: &BTreeSet<&str>) -> String {
    let mut left = String::new();
    let mut previous = None;
    for line in log.lines() {
        let Some((old, rest)) = line.split_once(' ') else {
            continue;
        };
        let new = rest.split(' ').next().unwrap_or_default();
        if taken.contains(new) {
            continue;
        }
        let none = "0".repeat(old.len());
        left.push_str(previous.unwrap_or(&none));
        left.push(' ');
        left.push_str(rest);
        left.push('\n');
        previous = Some(new);
    }
    left
}

fn replace(path: &Path, bytes: &[u8]) -> Result<(), GitError> {
    let folder = path.parent().unwrap_or(path);
    let mut file = NamedTempFile::new_in(folder).at(folder)?;
    file.write_all(bytes).at(path)?;
    file.as_file().sync_all().at(path)?;
    file.persist(path)
        .map_err(|error| GitError::io(path, error.error))?;
    Ok(())
}

/// The lock that git takes before it changes the stash or its log.
struct StashLock(PathBuf);

impl StashLock {
    /// `None` while somebody else has it.
    fn take(common: &Path) -> Result<Option<Self>, GitError> {
        let path = common.join(format!("{STASH}.lock"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => Ok(Some(Self(path))),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(GitError::io(&path, error)),
        }
    }
}

impl Drop for StashLock {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::warn!(%error, "the lock of the stash is left");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(old: char, new: char, message: &str) -> String {
        let id = |letter: char| letter.to_string().repeat(40);
        format!("{} {} A <a@b> 1 +0000\t{message}\n", id(old), id(new))
    }

    #[test]
    fn an_entry_says_on_which_branch_it_was_made() {
        let branch: BranchName = "amp/x".parse().unwrap();
        let of = |message: &str| {
            let line = line('0', '1', message);
            entry(line.trim_end()).unwrap().is_of(&branch)
        };
        assert!(of("WIP on amp/x: 1234567 subject"));
        assert!(of("On amp/x: my words"));
        assert!(!of("WIP on amp/xy: 1234567 subject"));
        assert!(!of("WIP on (no branch): 1234567 subject"));
        assert!(!of("my own words"));
    }

    #[test]
    fn lines_that_are_left_follow_each_other() {
        let log = line('0', '1', "one") + &line('1', '2', "two") + &line('2', '3', "three");
        let two = "2".repeat(40);
        let left = without_lines(&log, &BTreeSet::from([two.as_str()]));
        assert_eq!(left, line('0', '1', "one") + &line('1', '3', "three"));
        let one = "1".repeat(40);
        let left = without_lines(&log, &BTreeSet::from([one.as_str()]));
        assert_eq!(left, line('0', '2', "two") + &line('2', '3', "three"));
    }
}
