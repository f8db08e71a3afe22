//! What git merges without a conflict and people still have to look at: names and numbers that two branches gave away twice.

use std::path::{Path, PathBuf};

use orchestra_core::{CaseClash, CommitId, MigrationClash, case_clashes, clashing_migrations};

use crate::byte_path::from_bytes;
use crate::error::GitError;
use crate::repository::Repository;

/// Clashes between the files that two branches added since they were one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddedClashes {
    /// Names that differ in upper and lower case only.
    pub case: Vec<CaseClash>,
    /// Migrations with the same number.
    pub migrations: Vec<MigrationClash>,
}

impl Repository {
    /// Compares what two branches added. Histories with nothing in common added everything they have.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn added_clashes(
        &self,
        ours: &CommitId,
        theirs: &CommitId,
    ) -> Result<AddedClashes, GitError> {
        let fork = self.merge_base(ours, theirs)?;
        let ours = self.added(fork.as_ref(), ours)?;
        let theirs = self.added(fork.as_ref(), theirs)?;
        Ok(AddedClashes {
            case: case_clashes(as_paths(&ours), as_paths(&theirs)),
            migrations: clashing_migrations(as_paths(&ours), as_paths(&theirs)),
        })
    }

    fn added(&self, fork: Option<&CommitId>, tip: &CommitId) -> Result<Vec<PathBuf>, GitError> {
        let call = match fork {
            Some(fork) => self
                .objects()?
                .call("diff-tree")
                .args(["-r", "-z", "--name-only", "--no-renames", "--diff-filter=A"])
                .args([fork.as_str(), tip.as_str(), "--"]),
            None => self
                .objects()?
                .call("ls-tree")
                .args(["-r", "-z", "--name-only", tip.as_str()]),
        };
        let answer = self.git().run(&call)?.require_success()?;
        let names = answer.stdout.split(|byte| *byte == 0);
        let names = names.filter(|name| !name.is_empty());
        Ok(names.map(from_bytes).collect())
    }
}

fn as_paths(list: &[PathBuf]) -> impl Iterator<Item = &Path> {
    list.iter().map(PathBuf::as_path)
}
