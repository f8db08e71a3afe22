//! Registers a worktree on a new branch in process, with the files of `git worktree add --no-checkout`. git itself reads about
//! every worktree that there is, three times, so it takes the longer the more there are. Whatever is unusual is left to it.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use orchestra_core::BranchName;

use super::StartingPoint;
use crate::branch_lock::BranchLock;
use crate::declined::Declined;
use crate::error::{AtPath, GitError};
use crate::reference::RefMove;
use crate::repository::Repository;
use crate::worktree::admin::INITIALIZING;

/// A worktree that can be registered, with its branch locked.
pub(super) struct Registration<'a> {
    path: &'a Path,
    admin_dir: PathBuf,
    name: &'a BranchName,
    branch: BranchLock,
}

impl<'a> Registration<'a> {
    /// Looks whether everything is as usual, and locks the branch. `None`: git has to do it or to say why not.
    pub(super) fn prepare(
        repository: &Repository,
        path: &'a Path,
        start: &'a StartingPoint,
    ) -> Option<Self> {
        let prepared = Self::try_prepare(repository, path, start);
        let told = |declined: &Declined| tracing::debug!(reason = %declined, "left to git");
        prepared.inspect_err(told).ok()
    }

    fn try_prepare(
        repository: &Repository,
        path: &'a Path,
        start: &'a StartingPoint,
    ) -> Result<Self, Declined> {
        let StartingPoint::NewBranch { name, at } = start else {
            return Err(Declined::Unsuited("the branch exists"));
        };
        if repository.configuration().has_worktree_rules() {
            return Err(Declined::Unsuited("worktrees are made by rules here"));
        }
        let admin_dir = repository
            .common_dir()
            .join("worktrees")
            .join(require_plain_name(path)?);
        if admin_dir.symlink_metadata().is_ok() {
            return Err(Declined::Unsuited("its name is taken"));
        }
        let change = RefMove {
            full_name: &name.full_ref(),
            from: None,
            to: at,
            why: &format!("branch: Created from {at}"),
        };
        let branch = BranchLock::take(repository, repository.common_dir(), &change);
        let branch = branch.ok_or(Declined::Unsuited("the branch has to be made by git"))?;
        Ok(Self {
            path,
            admin_dir,
            name,
            branch,
        })
    }

    /// In the order of git: what is left when it is cut off looks the same. Until the end it says that it is not finished.
    pub(super) fn make(self) -> Result<(), GitError> {
        let (admin_dir, line) = (&self.admin_dir, self.branch.line().to_owned());
        self.branch.commit()?;
        fs::create_dir_all(admin_dir.parent().unwrap_or(admin_dir)).at(admin_dir)?;
        fs::create_dir(admin_dir).at(admin_dir)?;
        let locked = admin_dir.join("locked");
        write(&locked, INITIALIZING.as_bytes())?;
        fs::create_dir_all(self.path).at(self.path)?;
        let marker = self.path.canonicalize().at(self.path)?.join(".git");
        write(
            &admin_dir.join("gitdir"),
            &line_of(marker.as_os_str().as_bytes()),
        )?;
        let content = [b"gitdir: ", admin_dir.as_os_str().as_bytes()].concat();
        write(&marker, &line_of(&content))?;
        write(&admin_dir.join("commondir"), b"../..\n")?;
        fs::create_dir(admin_dir.join("refs")).at(admin_dir)?;
        let logs = admin_dir.join("logs");
        fs::create_dir(&logs).at(&logs)?;
        write(&logs.join("HEAD"), &line)?;
        let head = format!("ref: {}\n", self.name.full_ref());
        let file = write(&admin_dir.join("HEAD"), head.as_bytes())?;
        file.sync_all().at(admin_dir)?;
        fs::remove_file(&locked).at(&locked)
    }
}

/// The last part of the path, if git would take it as it is.
fn require_plain_name(path: &Path) -> Result<&str, Declined> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.filter(|name| name.bytes().all(is_plain));
    let is_one_line = !path.as_os_str().as_bytes().contains(&b'\n');
    name.filter(|_| is_one_line)
        .ok_or(Declined::Unsuited("git gives it another name"))
}

fn line_of(content: &[u8]) -> Vec<u8> {
    [content, b"\n"].concat()
}

fn write(path: &Path, content: &[u8]) -> Result<File, GitError> {
    let mut file = File::create_new(path).at(path)?;
    file.write_all(content).at(path)?;
    Ok(file)
}
