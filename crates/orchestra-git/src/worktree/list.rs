//! The list of worktrees as git sees it.

use std::path::PathBuf;

use orchestra_core::CommitId;

use super::admin::AdminDir;
use crate::byte_path::from_bytes;
use crate::error::GitError;
use crate::repository::Repository;

/// One line of `git worktree list`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorktreeEntry {
    /// Its top directory.
    pub path: PathBuf,
    /// What is checked out; absent when the branch has no commit.
    pub head: Option<CommitId>,
    /// The short name of the branch. It may be a name that sessions could not have.
    pub branch: Option<String>,
    /// No branch is checked out.
    pub is_detached: bool,
    /// The reason somebody gave for locking it; empty if none was given.
    pub locked: Option<String>,
    /// Why `git worktree prune` would drop it.
    pub prunable: Option<String>,
    /// Where git keeps what belongs to it; absent for the main checkout.
    pub admin_dir: Option<PathBuf>,
}

impl Repository {
    /// Every worktree, the main checkout first.
    ///
    /// # Errors
    /// If git fails, for example on a half-made worktree.
    pub fn list_worktrees(&self) -> Result<Vec<WorktreeEntry>, GitError> {
        let call = self.call("worktree").args(["list", "--porcelain", "-z"]);
        let answer = self.git().run(&call)?.require_success()?;
        let mut entries = parse(&answer.stdout)
            .ok_or_else(|| call.unreadable("an entry does not start with its path"))?;
        let admin_dirs = self.admin_dirs()?;
        for entry in &mut entries {
            let real = entry
                .path
                .canonicalize()
                .unwrap_or_else(|_| entry.path.clone());
            entry.admin_dir = admin_of(&admin_dirs, &real);
        }
        Ok(entries)
    }
}

fn admin_of(admin_dirs: &[AdminDir], path: &std::path::Path) -> Option<PathBuf> {
    admin_dirs
        .iter()
        .find(|admin| admin.worktree.as_deref() == Some(path))
        .map(|admin| admin.dir.clone())
}

/// Reads attributes that end with NUL, in entries that end with an empty one.
fn parse(bytes: &[u8]) -> Option<Vec<WorktreeEntry>> {
    let mut entries: Vec<WorktreeEntry> = Vec::new();
    let mut is_open = false;
    for attribute in bytes.split(|byte| *byte == 0) {
        if attribute.is_empty() {
            is_open = false;
        } else if let Some(path) = attribute.strip_prefix(b"worktree ") {
            entries.push(WorktreeEntry {
                path: from_bytes(path),
                ..WorktreeEntry::default()
            });
            is_open = true;
        } else if is_open {
            set(entries.last_mut()?, &String::from_utf8_lossy(attribute));
        } else {
            return None;
        }
    }
    Some(entries)
}

fn set(entry: &mut WorktreeEntry, attribute: &str) {
    let (name, value) = attribute.split_once(' ').unwrap_or((attribute, ""));
    match name {
        "HEAD" => {
            entry.head = value
                .parse()
                .ok()
                .filter(|id: &CommitId| id.as_str().contains(|digit| digit != '0'))
        }
        "branch" => {
            entry.branch = Some(
                value
                    .strip_prefix("refs/heads/")
                    .unwrap_or(value)
                    .to_owned(),
            )
        }
        "detached" => entry.is_detached = true,
        "locked" => entry.locked = Some(value.to_owned()),
        "prunable" => entry.prunable = Some(value.to_owned()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read() {
        let id = "a".repeat(40);
        let zero = "0".repeat(40);
        let text = format!(
            "worktree /r\0HEAD {id}\0branch refs/heads/main\0\0worktree /w\nx\0HEAD {id}\0detached\0locked why\nnot\0prunable gone\0\0worktree /u\0HEAD {zero}\0branch refs/heads/amp/x\0locked\0future thing\0\0"
        );
        let entries = parse(text.as_bytes()).unwrap();
        assert_eq!(entries.len(), 3);
        assert_eq!(
            (
                entries[0].branch.as_deref(),
                entries[0].head.as_ref().unwrap().as_str()
            ),
            (Some("main"), id.as_str())
        );
        assert_eq!(entries[1].path, PathBuf::from("/w\nx"));
        assert!(entries[1].is_detached);
        assert_eq!(
            (entries[1].locked.as_deref(), entries[1].prunable.as_deref()),
            (Some("why\nnot"), Some("gone"))
        );
        assert_eq!(
            (entries[2].locked.as_deref(), &entries[2].head),
            (Some(""), &None)
        );
    }

    #[test]
    fn an_attribute_without_a_worktree_is_refused() {
        assert_eq!(parse(b"HEAD x\0"), None);
        assert_eq!(parse(b""), Some(Vec::new()));
    }
}
