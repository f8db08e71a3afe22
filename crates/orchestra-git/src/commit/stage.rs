//! Puts what changed into the index, without git ever looking into repositories inside the worktree.

use std::path::PathBuf;

use super::CommitError;
use crate::byte_path::{nul_list, to_bytes};
use crate::error::{AtPath, GitError};
use crate::index_file::{self, Glance};
use crate::shadow::Shadow;
use crate::status::Records;
use crate::worktree::Worktree;

impl Worktree {
    /// Stages all changes, or those below `paths`. Gives back the nested repositories that were left out.
    pub(super) fn stage(
        &self,
        shadow: &Shadow,
        paths: Option<&[PathBuf]>,
    ) -> Result<Vec<PathBuf>, CommitError> {
        let before = self.glance(shadow)?;
        if before.has_conflicts {
            return Err(CommitError::Conflicts);
        }
        self.stage_over(shadow, &before, paths)
    }

    /// Stages all changes into an index of the shadow's own, where conflicts may be overwritten.
    pub(super) fn stage_into_copy(&self, shadow: &Shadow) -> Result<Vec<PathBuf>, CommitError> {
        let before = self.glance(shadow)?;
        self.stage_over(shadow, &before, None)
    }

    fn stage_over(
        &self,
        shadow: &Shadow,
        before: &Glance,
        paths: Option<&[PathBuf]>,
    ) -> Result<Vec<PathBuf>, CommitError> {
        // `add -A` asks a git process inside every submodule, with the submodule's configuration, whether it is dirty.
        if before.gitlinks.is_empty() && self.add_everything(shadow, paths)? {
            return Ok(self.drop_new_links(shadow, before)?);
        }
        self.add_listed(shadow, paths)
    }

    /// False: git refused, because a path matches nothing or a nested repository has no commit.
    fn add_everything(&self, shadow: &Shadow, paths: Option<&[PathBuf]>) -> Result<bool, GitError> {
        let call = shadow
            .call("add")
            .args(["--all", "--"])
            .args(paths.unwrap_or_default());
        Ok(self.repository().git().run(&call)?.is_success())
    }

    /// A nested repository that `add` made a link of is taken out of the index again.
    fn drop_new_links(&self, shadow: &Shadow, before: &Glance) -> Result<Vec<PathBuf>, GitError> {
        let after = self.glance(shadow)?;
        let new = after
            .gitlinks
            .into_iter()
            .filter(|link| !before.gitlinks.contains(link))
            .collect::<Vec<_>>();
        if !new.is_empty() {
            let call = shadow
                .call("update-index")
                .args(["--force-remove", "-z", "--stdin"])
                .stdin(nul_list(&new));
            self.repository().git().run(&call)?.require_success()?;
        }
        Ok(new)
    }

    /// Stages exactly what `status` names, which looks into nothing nested.
    fn add_listed(
        &self,
        shadow: &Shadow,
        paths: Option<&[PathBuf]>,
    ) -> Result<Vec<PathBuf>, CommitError> {
        let records = self.status_records(shadow)?;
        let (nested, listed) = changed_paths(&records);
        self.require_known(paths.unwrap_or_default(), &listed, &records)?;
        let is_wanted = |path: &PathBuf| {
            paths.is_none_or(|wanted| wanted.iter().any(|parent| path.starts_with(parent)))
        };
        let listed = listed.into_iter().filter(is_wanted).collect::<Vec<_>>();
        if !listed.is_empty() {
            let call =
                shadow
                    .call("add")
                    .args(["--all", "--pathspec-from-file=-", "--pathspec-file-nul"]);
            self.repository()
                .git()
                .run(&call.stdin(nul_list(&listed)))?
                .require_success()?;
        }
        Ok(nested.into_iter().filter(is_wanted).collect())
    }

    /// Every path names something: a file, or something that was there before.
    fn require_known(
        &self,
        paths: &[PathBuf],
        listed: &[PathBuf],
        records: &Records,
    ) -> Result<(), CommitError> {
        let staged = records.staged.iter().map(|change| &change.path);
        let known = listed.iter().chain(staged).collect::<Vec<_>>();
        let is_known = |wanted: &PathBuf| {
            self.path().join(wanted).symlink_metadata().is_ok()
                || known.iter().any(|path| path.starts_with(wanted))
        };
        let unknown = paths
            .iter()
            .filter(|path| !is_known(path))
            .cloned()
            .collect::<Vec<_>>();
        if unknown.is_empty() {
            Ok(())
        } else {
            Err(CommitError::NoSuchPath(unknown))
        }
    }

    fn glance(&self, shadow: &Shadow) -> Result<Glance, GitError> {
        let path = shadow.index().to_owned();
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Glance::default());
            }
            Err(error) => return Err(error).at(&path),
        };
        match index_file::glance(&bytes, self.repository().object_format().id_len()) {
            Some(glance) => Ok(glance),
            None => self.ask_for_glance(shadow),
        }
    }

    fn ask_for_glance(&self, shadow: &Shadow) -> Result<Glance, GitError> {
        let call = shadow.call("ls-files").args(["--stage", "-z"]);
        let mut glance = Glance::default();
        for found in self.indexed_by(&call)? {
            glance.has_conflicts |= found.stage != 0;
            if found.entry.is_link() {
                glance.gitlinks.push(found.path);
            }
        }
        Ok(glance)
    }
}

/// Nested repositories, and every other path with a change that is not staged yet.
fn changed_paths(records: &Records) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let is_nested = |path: &PathBuf| to_bytes(path).ends_with(b"/");
    let (nested, mut listed): (Vec<_>, Vec<_>) =
        records.untracked.iter().cloned().partition(is_nested);
    for change in &records.unstaged {
        listed.push(change.path.clone());
        listed.extend(change.original.clone());
    }
    (nested, listed)
}
