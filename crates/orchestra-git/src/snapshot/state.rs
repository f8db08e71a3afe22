//! Git's notes about an operation it is in the middle of: they belong to a worktree, and without them a rebase or a merge
//! cannot go on.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use orchestra_core::{BranchName, CommitId};

use super::{Snapshot, SnapshotError};
use crate::call::Call;
use crate::disk;
use crate::error::{AtPath, GitError};
use crate::files::remove_if_present;
use crate::reference::{Moved, RefMove};
use crate::worktree::Worktree;

const STATE: &str = "state";

/// Files and folders of a worktree's own git directory that say what is going on.
const NAMES: &[&str] = &[
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    "MERGE_HEAD",
    "MERGE_MSG",
    "MERGE_MODE",
    "MERGE_RR",
    "AUTO_MERGE",
    "SQUASH_MSG",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "ORIG_HEAD",
    "BISECT_LOG",
    "BISECT_NAMES",
    "BISECT_START",
    "BISECT_TERMS",
    "BISECT_EXPECTED_REV",
    "refs",
];

impl Worktree {
    /// Copies the notes, and answers the commits they name.
    pub(super) fn keep_state(&self, folder: &Path) -> Result<Vec<CommitId>, GitError> {
        let state = folder.join(STATE);
        let mut texts = Vec::new();
        for name in self.state_names() {
            copy_all(&self.admin_dir().join(name), &state.join(name), &mut texts)?;
        }
        let mut commits = Vec::new();
        for word in texts.iter().flat_map(|text| text.split_whitespace()) {
            if let Ok(commit) = word.parse::<CommitId>()
                && !commits.contains(&commit)
                && self.repository().commit_exists(&commit)?
            {
                commits.push(commit);
            }
        }
        Ok(commits)
    }

    /// The notes are as they were.
    pub(super) fn restore_state(&self, kept: &Snapshot) -> Result<(), GitError> {
        let state = kept.folder().join(STATE);
        for name in self.state_names() {
            let (target, source) = (self.admin_dir().join(name), state.join(name));
            remove_all(&target)?;
            copy_all(&source, &target, &mut Vec::new())?;
        }
        Ok(())
    }

    /// The main checkout's own references are everybody's; a linked one has a folder for those that are its own.
    fn state_names(&self) -> impl Iterator<Item = &'static str> {
        let is_linked = self.admin_dir() != self.repository().common_dir();
        let names = NAMES.iter().copied();
        names.filter(move |name| is_linked || *name != "refs")
    }

    /// The content of `HEAD`, as git wrote it.
    pub(super) fn head_text(&self) -> Result<String, GitError> {
        let file = self.admin_dir().join("HEAD");
        fs::read_to_string(&file).at(&file)
    }

    /// Moves the branch and `HEAD` to where a snapshot has them. Doing it twice is harmless.
    pub(super) fn restore_references(&self, kept: &Snapshot) -> Result<(), SnapshotError> {
        let (branch, commit) = kept.branch()?;
        if let Some(commit) = &commit {
            self.move_branch_to(&branch, commit)?;
        }
        let head = kept.head()?;
        if self.head_text()?.trim_end() == head {
            return Ok(());
        }
        let call = match head.strip_prefix("ref: ") {
            Some(full_name) => self.own_call("symbolic-ref").args(["HEAD", full_name]),
            None => self
                .own_call("update-ref")
                .args(["--no-deref", "HEAD", &head]),
        };
        self.repository().git().run(&call)?.require_success()?;
        Ok(())
    }

    fn move_branch_to(&self, branch: &BranchName, commit: &CommitId) -> Result<(), SnapshotError> {
        let current = self.repository().find_branch(branch)?;
        if current.as_ref() == Some(commit) {
            return Ok(());
        }
        let change = RefMove {
            full_name: &branch.full_ref(),
            from: current.as_ref(),
            to: commit,
            why: "orchestra: restore a snapshot",
        };
        match self
            .repository()
            .move_reference_in(self.admin_dir(), &change)?
        {
            Moved::Yes => Ok(()),
            Moved::Refused(_) => Err(SnapshotError::BranchMoved(branch.clone())),
        }
    }

    fn own_call(&self, command: &str) -> Call {
        let call = Call::new(command, self.admin_dir()).env("GIT_DIR", self.admin_dir());
        self.repository().with_identity(call)
    }
}

/// Copies a file, or a folder with all it holds. Nothing is there if there is nothing to copy. What is text is answered.
fn copy_all(from: &Path, to: &Path, texts: &mut Vec<String>) -> Result<(), GitError> {
    let data = match fs::symlink_metadata(from) {
        Ok(data) => data,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(GitError::io(from, error)),
    };
    if data.is_dir() {
        fs::create_dir_all(to).at(to)?;
        for entry in sorted_entries(from)? {
            let name = entry.file_name().unwrap_or_default().to_owned();
            copy_all(&entry, &to.join(name), texts)?;
        }
        return Ok(());
    }
    let bytes = fs::read(from).at(from)?;
    let parent = to.parent().unwrap_or(to);
    fs::create_dir_all(parent).at(parent)?;
    disk::write(to, &bytes)?;
    texts.extend(String::from_utf8(bytes).ok());
    Ok(())
}

fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>, GitError> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).at(folder)? {
        paths.push(entry.at(folder)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn remove_all(path: &Path) -> Result<(), GitError> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|data| data.is_dir());
    if is_folder {
        return disk::remove_folder(path);
    }
    remove_if_present(path)
}
