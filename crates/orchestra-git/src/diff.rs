//! Differences: as text for people, streamed, and as records for programs.

mod patches;
mod summary;

use std::path::PathBuf;

use orchestra_core::CommitId;

pub use patches::{FilePatch, Patch};
pub use summary::FileChange;
pub(crate) use summary::{Entries, parse_summary};

use patches::Splitter;

use crate::byte_path::{nul_list, to_bytes};
use crate::call::Call;
use crate::error::GitError;
use crate::repository::Repository;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

/// Never a program of the repository's choice, and always the same form.
const FIXED: &[&str] = &[
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=dirty",
    "--find-renames",
];

/// What is compared with what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffScope {
    /// The files now, new ones too, against a commit.
    Since(CommitId),
    /// The index against the commit that is checked out.
    Staged,
    /// The files now, new ones too, against the index.
    Unstaged,
    /// Two commits.
    Between(CommitId, CommitId),
}

/// How text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DiffFormat {
    /// Lines with context.
    #[default]
    Patch,
    /// Lines with context, and binary files whole, so that `git apply` brings everything back.
    BinaryPatch,
    /// Paths.
    NameOnly,
    /// A bar per file.
    Stat,
    /// Two numbers per file.
    NumStat,
}

/// One file of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffFile {
    /// Where it is, below the worktree.
    pub path: PathBuf,
    /// Where it was before, if it was renamed or copied. Without it, one that was renamed looks new.
    pub original: Option<PathBuf>,
}

impl DiffFile {
    fn pathspecs(&self) -> Vec<PathBuf> {
        let paths = [Some(&self.path), self.original.as_ref()];
        paths.into_iter().flatten().cloned().collect()
    }

    /// The path may be that of a directory, and then git shows what is in it.
    fn find(&self, patches: Vec<FilePatch>) -> Option<FilePatch> {
        let is_meant = |patch: &FilePatch| patch.change.path == self.path;
        patches.into_iter().find(is_meant)
    }
}

/// A wish for a diff as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffRequest {
    /// What is compared with what.
    pub scope: DiffScope,
    /// How it looks.
    pub format: DiffFormat,
    /// With terminal colours.
    pub color: bool,
    /// Only these files or directories; all if empty.
    pub paths: Vec<PathBuf>,
}

impl Worktree {
    /// Streams a diff as text. Nothing is changed, the index neither.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn diff(&self, request: &DiffRequest, sink: &mut dyn FnMut(&[u8])) -> Result<(), GitError> {
        let shadow = self.diff_shadow(&request.scope)?;
        let format = match request.format {
            DiffFormat::Patch => "--patch",
            DiffFormat::BinaryPatch => "--binary",
            DiffFormat::NameOnly => "--name-only",
            DiffFormat::Stat => "--stat",
            DiffFormat::NumStat => "--numstat",
        };
        let color = if request.color {
            "--color=always"
        } else {
            "--color=never"
        };
        let call = diff_call(&shadow, &request.scope, &[format, color], &request.paths);
        self.repository()
            .git()
            .stream(&call, sink)?
            .require_success()?;
        Ok(())
    }

    /// What changed, file by file.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn diff_summary(&self, scope: &DiffScope) -> Result<Vec<FileChange>, GitError> {
        let shadow = self.diff_shadow(scope)?;
        let call = diff_call(&shadow, scope, &["--raw", "--numstat", "-z"], &[]);
        let answer = self.repository().git().run(&call)?.require_success()?;
        parse_summary(&answer.stdout).ok_or_else(|| call.unreadable("a record is cut"))
    }

    /// What changed, file by file, each with its patch.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn diff_patches(&self, scope: &DiffScope) -> Result<Vec<FilePatch>, GitError> {
        let shadow = self.diff_shadow(scope)?;
        self.repository().patches(&shadow, scope, &[])
    }

    /// What changed in one file, with its patch; `None` if nothing did.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn diff_file(
        &self,
        scope: &DiffScope,
        file: &DiffFile,
    ) -> Result<Option<FilePatch>, GitError> {
        let shadow = self.diff_shadow(scope)?;
        let patches = self
            .repository()
            .patches(&shadow, scope, &file.pathspecs())?;
        Ok(file.find(patches))
    }

    /// A shadow whose index knows new files where they belong to the diff.
    fn diff_shadow(&self, scope: &DiffScope) -> Result<Shadow, GitError> {
        let head = self.head()?;
        let commit = head
            .commit()
            .ok_or_else(|| GitError::NoSuchRevision("HEAD".to_owned()))?;
        let shadow = Shadow::of_worktree(self, commit)?;
        if matches!(scope, DiffScope::Staged | DiffScope::Between(..)) {
            return Ok(shadow);
        }
        let untracked = self.untracked(&shadow)?;
        if untracked.is_empty() {
            return Ok(shadow);
        }
        let shadow = shadow.with_copied_index(self)?;
        let call = shadow.call("add").args([
            "--intent-to-add",
            "--pathspec-from-file=-",
            "--pathspec-file-nul",
        ]);
        self.repository()
            .git()
            .run(&call.stdin(nul_list(&untracked)))?
            .require_success()?;
        Ok(shadow)
    }

    /// New files; a repository inside the worktree is not one.
    fn untracked(&self, shadow: &Shadow) -> Result<Vec<PathBuf>, GitError> {
        let call = shadow
            .call("ls-files")
            .args(["--others", "--exclude-standard", "-z"]);
        let answer = self.repository().git().run(&call)?.require_success()?;
        let records = answer
            .stdout
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty());
        Ok(records
            .map(crate::byte_path::from_bytes)
            .filter(|path| !to_bytes(path).ends_with(b"/"))
            .collect())
    }
}

impl Repository {
    /// What changed between two commits, file by file.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn changes_between(
        &self,
        from: &CommitId,
        to: &CommitId,
    ) -> Result<Vec<FileChange>, GitError> {
        self.tree_changes(from.as_str(), to.as_str())
    }

    /// What changed in one file between two commits, with its patch; `None` if nothing did.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn file_between(
        &self,
        from: &CommitId,
        to: &CommitId,
        file: &DiffFile,
    ) -> Result<Option<FilePatch>, GitError> {
        let scope = DiffScope::Between(from.clone(), to.clone());
        let patches = self.patches(&*self.objects()?, &scope, &file.pathspecs())?;
        Ok(file.find(patches))
    }

    fn patches(
        &self,
        shadow: &Shadow,
        scope: &DiffScope,
        paths: &[PathBuf],
    ) -> Result<Vec<FilePatch>, GitError> {
        let mut options = vec!["--raw", "--numstat", "--patch", "-z", "--color=never"];
        if *scope == DiffScope::Unstaged {
            // A file with a conflict is compared with one side, not with both at once.
            options.push("--ours");
        }
        let call = diff_call(shadow, scope, &options, paths);
        let mut splitter = Splitter::default();
        self.git()
            .stream(&call, &mut |chunk| splitter.push(chunk))?
            .require_success()?;
        splitter
            .finish()
            .ok_or_else(|| call.unreadable("the patches are not those of the files"))
    }

    /// What changed between two trees, each given by its own id or that of a commit.
    pub(crate) fn tree_changes(&self, from: &str, to: &str) -> Result<Vec<FileChange>, GitError> {
        let options = ["--raw", "--numstat", "-z"];
        let call = base_call(&*self.objects()?, &options).args([from, to, "--"]);
        let answer = self.git().run(&call)?.require_success()?;
        parse_summary(&answer.stdout).ok_or_else(|| call.unreadable("a record is cut"))
    }
}

fn base_call(shadow: &Shadow, options: &[&str]) -> Call {
    // Letters of all languages are shown as they are; what could disturb a terminal is still quoted.
    let readable = ("core.quotePath".to_owned(), "false".to_owned());
    let call = shadow.call("diff").config([readable]);
    call.args(FIXED).args(options)
}

fn diff_call(shadow: &Shadow, scope: &DiffScope, options: &[&str], paths: &[PathBuf]) -> Call {
    let call = base_call(shadow, options);
    let call = match scope {
        DiffScope::Since(commit) => call.arg(commit.as_str()),
        DiffScope::Staged => call.args(["--cached", "HEAD"]),
        DiffScope::Unstaged => call,
        DiffScope::Between(from, to) => call.args([from.as_str(), to.as_str()]),
    };
    call.arg("--").args(paths)
}
