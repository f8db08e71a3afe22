//! Registers a worktree: branch and path are reserved together, or nothing is left behind.

#[cfg(target_os = "linux")]
mod direct;

use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_core::{BranchName, CommitId};

use super::repair::has_only_marker;
use super::{Worktree, WorktreeError};
use crate::byte_path::resolved;
use crate::call::Call;
use crate::error::{AtPath, GitError};
use crate::head::Head;
use crate::repository::{Repository, git_dir_of};
use crate::repository_lock::RepositoryLock;

/// git can fail when the user's own git changes the worktree list at the same moment.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(30);

/// Who registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// We do where everything is as usual, else git.
    InProcess,
    ByGit,
}

/// What a new worktree has checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartingPoint {
    /// A branch that is made for it.
    NewBranch {
        /// Its name.
        name: BranchName,
        /// Its first commit.
        at: CommitId,
    },
    /// A branch that exists.
    Existing(BranchName),
}

impl StartingPoint {
    fn branch(&self) -> &BranchName {
        match self {
            Self::NewBranch { name, .. } | Self::Existing(name) => name,
        }
    }
}

impl Repository {
    /// Reserves `path` and the branch, without any files yet. Fails without leaving anything behind, or says that it could
    /// not ([`WorktreeError::LeftBehind`]).
    ///
    /// # Errors
    /// If the branch or path is taken, or git fails.
    pub fn register_worktree(
        &self,
        path: &Path,
        start: &StartingPoint,
    ) -> Result<Worktree, WorktreeError> {
        let path = resolved(path);
        let _lock = RepositoryLock::take(self)?;
        let (mut way, mut attempt) = (Way::InProcess, 0);
        loop {
            match self.register_once(&path, start, way) {
                // Whatever was in the way, git gets past it or says what it is.
                Err(WorktreeError::Git(_)) if way == Way::InProcess => way = Way::ByGit,
                Err(WorktreeError::Git(GitError::Failed { .. })) if attempt < ATTEMPTS => {
                    std::thread::sleep(PAUSE)
                }
                result => return result,
            }
            attempt += 1;
        }
    }

    fn register_once(
        &self,
        path: &Path,
        start: &StartingPoint,
        way: Way,
    ) -> Result<Worktree, WorktreeError> {
        self.require_free_path(path)?;
        self.require_free_branch(start)?;
        let undo = Undo::prepare(self, path, start)?;
        match self.add(path, start, way) {
            Ok(worktree) => Ok(worktree),
            Err(error) => match undo.run() {
                Ok(()) => Err(error.into()),
                Err(undo) => Err(WorktreeError::LeftBehind {
                    path: path.to_owned(),
                    undo: Box::new(undo),
                    cause: error,
                }),
            },
        }
    }

    fn add(&self, path: &Path, start: &StartingPoint, way: Way) -> Result<Worktree, GitError> {
        let call = add_call(self, path, start);
        let made = match way {
            Way::InProcess => self.add_in_process(path, start),
            Way::ByGit => None,
        };
        match made {
            Some(made) => made?,
            None => {
                self.git().run(&call)?.require_success()?;
            }
        }
        let root = path.canonicalize().at(path)?;
        let worktree = Worktree::new(self, root.clone(), git_dir_of(&root)?);
        match worktree.head()? {
            Head::Branch { name, .. } if &name == start.branch() => Ok(worktree),
            _ => Err(call.unreadable("the new worktree is not on its branch")),
        }
    }

    /// `None`: nothing was done, and git has to do it or to say why not.
    #[cfg(target_os = "linux")]
    fn add_in_process(&self, path: &Path, start: &StartingPoint) -> Option<Result<(), GitError>> {
        Some(direct::Registration::prepare(self, path, start)?.make())
    }

    #[cfg(not(target_os = "linux"))]
    fn add_in_process(&self, _path: &Path, _start: &StartingPoint) -> Option<Result<(), GitError>> {
        None
    }

    fn require_free_path(&self, path: &Path) -> Result<(), WorktreeError> {
        if path.symlink_metadata().is_ok() {
            return Err(WorktreeError::PathTaken(path.to_owned()));
        }
        match self.find_admin_dir(path)? {
            Some(_) => Err(WorktreeError::PathRegistered(path.to_owned())),
            None => Ok(()),
        }
    }

    fn require_free_branch(&self, start: &StartingPoint) -> Result<(), WorktreeError> {
        let branch = start.branch().clone();
        match start {
            StartingPoint::NewBranch { .. } => {
                if self.branch_exists(&branch)? {
                    return Err(WorktreeError::BranchTaken(branch));
                }
                match self.branch_conflict(&branch)? {
                    Some(by) => Err(WorktreeError::BranchBlocked { branch, by }),
                    None => Ok(()),
                }
            }
            StartingPoint::Existing(_) => {
                if !self.branch_exists(&branch)? {
                    return Err(WorktreeError::NoSuchBranch(branch));
                }
                match self.checked_out_at(&branch)? {
                    Some(place) => Err(WorktreeError::BranchCheckedOut { branch, place }),
                    None => Ok(()),
                }
            }
        }
    }
}

fn add_call(repository: &Repository, path: &Path, start: &StartingPoint) -> Call {
    let call = repository.with_identity(repository.call("worktree").args(["add", "--no-checkout"]));
    match start {
        StartingPoint::NewBranch { name, at } => call
            .args(["--no-track", "-b", name.as_str(), "--"])
            .arg(path)
            .arg(at.as_str()),
        StartingPoint::Existing(name) => call.arg("--").arg(path).arg(name.as_str()),
    }
}

/// What to take away again when git fails half-way: exactly what was not there before.
struct Undo<'a> {
    repository: &'a Repository,
    path: &'a Path,
    start: &'a StartingPoint,
    admin_dirs: Vec<PathBuf>,
    existing_ancestor: PathBuf,
}

impl<'a> Undo<'a> {
    fn prepare(
        repository: &'a Repository,
        path: &'a Path,
        start: &'a StartingPoint,
    ) -> Result<Self, GitError> {
        let admin_dirs = repository.admin_paths()?;
        let existing_ancestor = path
            .ancestors()
            .find(|dir| dir.exists())
            .unwrap_or(path)
            .to_owned();
        Ok(Self {
            repository,
            path,
            start,
            admin_dirs,
            existing_ancestor,
        })
    }

    fn run(&self) -> Result<(), WorktreeError> {
        for admin in self.repository.admin_dirs()? {
            let is_ours = admin
                .worktree
                .as_deref()
                .is_none_or(|worktree| worktree == self.path);
            if is_ours && !self.admin_dirs.contains(&admin.dir) {
                std::fs::remove_dir_all(&admin.dir).at(&admin.dir)?;
            }
        }
        remove_new_directories(self.path, &self.existing_ancestor)?;
        self.delete_new_branch()
    }

    fn delete_new_branch(&self) -> Result<(), WorktreeError> {
        let StartingPoint::NewBranch { name, at } = self.start else {
            return Ok(());
        };
        match self.repository.find_branch(name)? {
            Some(current) if &current == at => self.repository.delete_branch_unchecked(name, at),
            _ => Ok(()),
        }
    }
}

/// Removes the worktree's own directory and the parents that were made for it, unless somebody put files there meanwhile.
fn remove_new_directories(path: &Path, existing_ancestor: &Path) -> Result<(), GitError> {
    if path.is_dir() && has_only_marker(path)? {
        std::fs::remove_dir_all(path).at(path)?;
    }
    for parent in path
        .ancestors()
        .skip(1)
        .take_while(|parent| *parent != existing_ancestor)
    {
        match std::fs::remove_dir(parent) {
            Err(error) if error.kind() == std::io::ErrorKind::DirectoryNotEmpty => break,
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(GitError::io(parent, error));
            }
            _ => {}
        }
    }
    Ok(())
}
