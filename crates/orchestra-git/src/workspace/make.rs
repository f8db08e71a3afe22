//! Making a workspace before an agent works.

use std::fs;
use std::path::Path;

use orchestra_core::BranchName;

use super::references::{self, CheckedOut, References, exclude_each_other};
use super::{DUE, EARLIER, GIVEN, GIVEN_HEAD, NEW, OLD, Workspace, WorkspaceError};
use crate::byte_path::to_bytes;
use crate::configuration::sparse_values;
use crate::disk;
use crate::error::{AtPath, GitError};
use crate::head::Head;
use crate::in_progress::InProgress;
use crate::repository::ObjectFormat;
use crate::shadow::{copy_if_present, copy_with_time, quoted_line, shared_indexes};
use crate::worktree::Worktree;

const STASH: &str = "refs/stash";
const STASH_LOG: &str = "logs/refs/stash";
/// Where references go whose own names are taken.
const KEPT: &str = "refs/kept/";

impl Worktree {
    /// Makes the workspace for the next turn, with what the repository has now. What an agent stashed there, and branches and tags
    /// that it made, stay in it. One in which git is in the middle of something is given again as it is, unless the
    /// branch went on elsewhere. A rebase that waits in the worktree stays there: the agent gets its conflicts alone.
    ///
    /// # Errors
    /// If the worktree cannot have one, what an earlier turn left was not fetched, or git or the file system refuses.
    pub fn open_workspace(
        &self,
        workspace: &Workspace,
        branch: &BranchName,
    ) -> Result<(), WorkspaceError> {
        self.require_suited()?;
        if workspace.is_due() {
            return Err(WorkspaceError::rejected("it waits to be fetched"));
        }
        workspace.finish_exchange()?;
        let given = self.given()?;
        let goes_on = workspace.in_progress().is_some() && self.in_progress().is_none();
        if goes_on && workspace.is_current(&given, branch)? {
            workspace.require_plain_objects()?;
            self.write_lenders(workspace, &workspace.git_dir())?;
            workspace.give_again(&given, branch)?;
        } else {
            self.renew(workspace, branch, &given)?;
        }
        let mut link = b"gitdir: ".to_vec();
        link.extend(to_bytes(&workspace.git_dir()));
        link.push(b'\n');
        disk::write(&workspace.link(), &link)?;
        disk::write(&workspace.folder.join(DUE), b"")?;
        Ok(disk::sync_directory(&workspace.folder)?)
    }

    /// Refuses what a workspace could not stand for.
    ///
    /// # Errors
    /// If the worktree or its repository is of such a kind, or git is in the middle of something in it that is no rebase.
    pub fn require_suited(&self) -> Result<(), WorkspaceError> {
        let link = self.path().join(".git");
        if !fs::symlink_metadata(&link).is_ok_and(|facts| facts.is_file()) {
            return Err(WorkspaceError::NotLinked(self.path().to_owned()));
        }
        let repository = self.repository();
        if repository.configuration().is_partial_clone() {
            return Err(WorkspaceError::Unsuited("is a partial clone"));
        }
        if repository.common_dir().join("lfs").exists() {
            return Err(WorkspaceError::Unsuited("keeps files with Git LFS"));
        }
        match self.in_progress() {
            None | Some(InProgress::Rebase) => Ok(()),
            Some(operation) => Err(WorkspaceError::InProgress(operation)),
        }
    }

    /// Branches, tags and what is known of remotes.
    fn given(&self) -> Result<References, GitError> {
        let repository = self.repository();
        let call = repository
            .call("for-each-ref")
            .arg("--format=%(objectname) %(refname)")
            .args(["refs/heads", "refs/remotes", "refs/tags"]);
        let answer = repository.git().run(&call)?.require_success()?;
        Ok(references::parse(&answer.stdout))
    }

    fn renew(
        &self,
        workspace: &Workspace,
        branch: &BranchName,
        given: &References,
    ) -> Result<(), WorkspaceError> {
        let mut own = workspace.own_references()?;
        // What it had was fetched.
        own.remove(&branch.full_ref());
        workspace.keep_objects(&own)?;
        let new = workspace.folder.join(NEW);
        disk::make_empty(&new)?;
        let mut all = given.clone();
        for (name, id) in &own {
            let is_taken = given.keys().any(|it| exclude_each_other(it, name));
            let kept = || format!("{KEPT}{}/{name}", id.short());
            all.insert(if is_taken { kept() } else { name.clone() }, id.clone());
        }
        self.fill_workspace(workspace, &new, &all)?;
        workspace.note_given(given)?;
        let head = head_text(&self.head()?);
        disk::write(&workspace.folder.join(GIVEN_HEAD), head.as_bytes())?;
        workspace.exchange()?;
        Ok(())
    }

    fn fill_workspace(
        &self,
        workspace: &Workspace,
        new: &Path,
        all: &References,
    ) -> Result<(), WorkspaceError> {
        for folder in [
            "objects/info",
            "objects/pack",
            "refs/heads",
            "refs/tags",
            "info",
        ] {
            let folder = new.join(folder);
            fs::create_dir_all(&folder).at(&folder)?;
        }
        self.write_lenders(workspace, new)?;
        let write = |name: &str, text: String| disk::write(&new.join(name), text.as_bytes());
        write("packed-refs", references::lines(all))?;
        write("HEAD", head_text(&self.head()?))?;
        write("config", self.config_text()?)?;
        workspace.copy_stash_log(new, all)?;
        for name in ["shallow", "info/exclude", "info/attributes"] {
            copy_if_present(self.repository().common_dir(), new, name)?;
        }
        copy_if_present(self.admin_dir(), new, "info/sparse-checkout")?;
        for index in shared_indexes(self.admin_dir())?
            .into_iter()
            .chain(Some(self.index_path()).filter(|index| index.exists()))
        {
            let name = index.file_name().unwrap_or_default();
            copy_with_time(&index, &new.join(name)).at(&index)?;
        }
        Ok(())
    }

    fn write_lenders(&self, workspace: &Workspace, git_dir: &Path) -> Result<(), GitError> {
        let mut lines = quoted_line(&self.repository().common_dir().join("objects"));
        for objects in workspace.earlier_objects()? {
            lines.extend(quoted_line(&objects));
        }
        disk::write(&git_dir.join("objects/info/alternates"), &lines)
    }

    /// What is plain data of the repository's configuration, and who commits.
    fn config_text(&self) -> Result<String, GitError> {
        let repository = self.repository();
        let configuration = repository.configuration();
        let version = match repository.object_format() {
            ObjectFormat::Sha1 => 0,
            ObjectFormat::Sha256 => 1,
        };
        let mut text = line("core.repositoryformatversion", &version.to_string());
        text.push_str(&line("core.bare", "false"));
        if repository.object_format() == ObjectFormat::Sha256 {
            text.push_str(&line("extensions.objectformat", "sha256"));
        }
        let mut values: Vec<_> = configuration.values().collect();
        let own = self.admin_dir().join("config.worktree");
        if own.exists() {
            values.extend(sparse_values(repository.git(), &own)?);
        }
        // Programs are found in the user's own configuration, which the agent reads as well.
        values.retain(|(key, _)| !key.starts_with("filter."));
        if let Some(identity) = configuration.identity() {
            values.push(("user.name".to_owned(), identity.name.clone()));
            values.push(("user.email".to_owned(), identity.email.clone()));
        }
        for (key, value) in values {
            text.push_str(&line(&key, &value));
        }
        // The keys are out of an agent's reach, so that none of its commits would be made.
        for key in ["commit.gpgsign", "tag.gpgsign"] {
            text.push_str(&line(key, "false"));
        }
        Ok(text)
    }
}

impl Workspace {
    /// Whether the branch is in the repository where it is here.
    fn is_current(&self, given: &References, branch: &BranchName) -> Result<bool, WorkspaceError> {
        let name = branch.full_ref();
        Ok(references::read(&self.git_dir())?.get(&name) == given.get(&name))
    }

    /// What was fetched of the branch is not fetched again. The other references are still those of before.
    fn give_again(&self, now: &References, branch: &BranchName) -> Result<(), WorkspaceError> {
        let mut given = self.references_given()?;
        let name = branch.full_ref();
        given.extend(now.get(&name).map(|id| (name, id.clone())));
        Ok(self.note_given(&given)?)
    }

    fn note_given(&self, given: &References) -> Result<(), GitError> {
        disk::write(
            &self.folder.join(GIVEN),
            references::lines(given).as_bytes(),
        )
    }

    pub(super) fn head_given(&self) -> Result<Option<CheckedOut>, WorkspaceError> {
        references::head_in(&self.folder.join(GIVEN_HEAD))
    }

    pub(super) fn references_given(&self) -> Result<References, WorkspaceError> {
        let text = references::read_plain(&self.folder.join(GIVEN))?;
        Ok(references::parse(&text.unwrap_or_default()))
    }

    /// What the agent's directory has and was not given to it.
    fn own_references(&self) -> Result<References, WorkspaceError> {
        if !self.git_dir().exists() {
            return Ok(References::new());
        }
        let given = self.references_given()?;
        let mut own = references::read(&self.git_dir())?;
        own.retain(|name, id| given.get(name) != Some(id) && is_worth_keeping(name));
        Ok(own)
    }

    /// Objects that references of the agent's own need; without any, they go with the directory.
    fn keep_objects(&self, own: &References) -> Result<(), WorkspaceError> {
        if own.is_empty() {
            return Ok(disk::remove_folder(&self.folder.join(EARLIER))?);
        }
        if self.git_dir().join("objects").exists() {
            self.require_plain_objects()?;
            let place = self.next_place(EARLIER)?;
            fs::rename(self.git_dir().join("objects"), &place).at(&place)?;
        }
        Ok(())
    }

    /// The entries of the stash below its first are in this file alone.
    fn copy_stash_log(&self, new: &Path, all: &References) -> Result<(), WorkspaceError> {
        let log = references::read_plain(&self.git_dir().join(STASH_LOG))?;
        let Some(log) = log.filter(|_| all.contains_key(STASH)) else {
            return Ok(());
        };
        let path = new.join(STASH_LOG);
        let folder = path.parent().unwrap_or(new);
        fs::create_dir_all(folder).at(folder)?;
        Ok(disk::write(&path, &log)?)
    }

    fn exchange(&self) -> Result<(), GitError> {
        let (git, old) = (self.git_dir(), self.folder.join(OLD));
        disk::remove_folder(&old)?;
        if git.exists() {
            fs::rename(&git, &old).at(&git)?;
        }
        fs::rename(self.folder.join(NEW), &git).at(&git)?;
        disk::remove_folder(&old)
    }

    /// Whoever exchanged the directories may have been cut off.
    fn finish_exchange(&self) -> Result<(), GitError> {
        fs::create_dir_all(&self.folder).at(&self.folder)?;
        let (git, old) = (self.git_dir(), self.folder.join(OLD));
        if !git.exists() && old.exists() {
            fs::rename(&old, &git).at(&old)?;
        }
        Ok(())
    }
}

/// Whether a reference of an agent's own leads to work.
pub(super) fn is_worth_keeping(name: &str) -> bool {
    let kinds = ["refs/heads/", "refs/tags/", KEPT];
    name == STASH || kinds.iter().any(|kind| name.starts_with(kind))
}

fn head_text(head: &Head) -> String {
    match head {
        Head::Branch { name, .. } => format!("ref: {}\n", name.full_ref()),
        Head::Unborn(name) => format!("ref: refs/heads/{name}\n"),
        Head::Detached(commit) => format!("{commit}\n"),
    }
}

/// One value, in a section of its own.
fn line(key: &str, value: &str) -> String {
    let (section, name) = key.rsplit_once('.').unwrap_or((key, ""));
    let header = match section.split_once('.') {
        Some((section, below)) => format!("[{section} \"{}\"]", escaped(below)),
        None => format!("[{section}]"),
    };
    format!("{header}\n\t{name} = \"{}\"\n", escaped(value))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
        .replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_so_that_git_reads_them_back() {
        assert_eq!(
            line("user.name", "A \"B\" \\ C"),
            "[user]\n\tname = \"A \\\"B\\\" \\\\ C\"\n"
        );
        assert_eq!(line("a.b.c.d", "x\ny"), "[a \"b.c\"]\n\td = \"x\\ny\"\n");
    }
}
