//! What git merges without a conflict and people still have to look at: names and numbers that are given away twice.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use orchestra_core::{CaseClash, CommitId, MigrationClash, case_clashes, clashing_migrations};

use crate::byte_path::from_bytes;
use crate::error::GitError;
use crate::repository::Repository;

/// Clashes between files that were added and others that are there with them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddedClashes {
    /// Names that differ in upper and lower case only.
    pub case: Vec<CaseClash>,
    /// Migrations with the same number.
    pub migrations: Vec<MigrationClash>,
}

/// What a branch did to the list of files since it left another one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnFiles {
    /// Files that it has more.
    pub added: Vec<PathBuf>,
    /// Files that it took away.
    pub deleted: Vec<PathBuf>,
}

impl AddedClashes {
    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.case.is_empty() && self.migrations.is_empty()
    }

    fn between<'a>(ours: &[&'a Path], theirs: &[&'a Path]) -> Self {
        Self {
            case: case_clashes(ours.iter().copied(), theirs.iter().copied()),
            migrations: clashing_migrations(ours.iter().copied(), theirs.iter().copied()),
        }
    }
}

impl OwnFiles {
    /// What it added against what another branch added.
    #[must_use]
    pub fn clashes_with(&self, other: &Self) -> AddedClashes {
        AddedClashes::between(&as_paths(&other.added), &as_paths(&self.added))
    }

    /// What it added against the files that it is put together with; those it took away are gone then.
    #[must_use]
    pub fn clashes_among(&self, files: &[PathBuf]) -> AddedClashes {
        let gone: HashSet<&Path> = self.deleted.iter().map(PathBuf::as_path).collect();
        let mut left = as_paths(files);
        if !gone.is_empty() {
            left.retain(|path| !gone.contains(path));
        }
        AddedClashes::between(&left, &as_paths(&self.added))
    }
}

impl Repository {
    /// Compares what `theirs` added since it left `ours` with every file that is there once they are one. Where `theirs` is on
    /// top of `ours`, that is what it has itself.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn added_clashes(
        &self,
        ours: &CommitId,
        theirs: &CommitId,
    ) -> Result<AddedClashes, GitError> {
        let pair = (ours.clone(), theirs.clone());
        let mut clashes = AddedClashes::default();
        for own in self.own_files(&[pair])? {
            if !own.added.is_empty() {
                clashes = own.clashes_among(&self.files_of(ours)?);
            }
        }
        Ok(clashes)
    }

    /// What the second of each pair did to the list of files since it left the first. With nothing in common it added
    /// everything it has.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn own_files(&self, pairs: &[(CommitId, CommitId)]) -> Result<Vec<OwnFiles>, GitError> {
        let mut forks = Vec::new();
        for (base, head) in pairs {
            forks.push((self.merge_base(base, head)?, head));
        }
        let lines: String = forks
            .iter()
            .filter_map(|(fork, head)| Some(format!("{head} {}\n", fork.as_ref()?)))
            .collect();
        let mut since = self.changed_lists(lines)?.into_iter();
        let mut all = Vec::new();
        for (fork, head) in forks {
            let own = match fork {
                Some(_) => since.next().unwrap_or_default(),
                None => OwnFiles {
                    added: self.files_of(head)?,
                    deleted: Vec::new(),
                },
            };
            all.push(own);
        }
        Ok(all)
    }

    /// Every file of a commit.
    ///
    /// # Errors
    /// If the commit is missing or git fails.
    pub fn files_of(&self, commit: &CommitId) -> Result<Vec<PathBuf>, GitError> {
        let call =
            self.objects()?
                .call("ls-tree")
                .args(["-r", "-z", "--name-only", commit.as_str()]);
        let answer = self.git().run(&call)?.require_success()?;
        let names = answer.stdout.split(|byte| *byte == 0);
        let names = names.filter(|name| !name.is_empty());
        Ok(names.map(from_bytes).collect())
    }

    /// One answer for each line of `commit parent`, in one process.
    fn changed_lists(&self, lines: String) -> Result<Vec<OwnFiles>, GitError> {
        if lines.is_empty() {
            return Ok(Vec::new());
        }
        let count = lines.lines().count();
        let call = self
            .objects()?
            .call("diff-tree")
            .args(["--stdin", "--always", "-r", "-z", "--name-status"])
            .args(["--no-renames", "--diff-filter=AD"])
            .stdin(lines.into_bytes());
        let answer = self.git().run(&call)?.require_success()?;
        let lists = parse(&answer.stdout).filter(|lists| lists.len() == count);
        lists.ok_or_else(|| call.unreadable("a record is cut"))
    }
}

/// For each commit its id, then a letter and a path for each file, all with NUL behind them.
fn parse(bytes: &[u8]) -> Option<Vec<OwnFiles>> {
    let mut lists: Vec<OwnFiles> = Vec::new();
    let mut tokens = bytes.split(|byte| *byte == 0);
    while let Some(token) = tokens.next().filter(|token| !token.is_empty()) {
        match token {
            b"A" => lists.last_mut()?.added.push(from_bytes(tokens.next()?)),
            b"D" => lists.last_mut()?.deleted.push(from_bytes(tokens.next()?)),
            id if id.len() >= 40 => lists.push(OwnFiles::default()),
            _ => return None,
        }
    }
    Some(lists)
}

fn as_paths(list: &[PathBuf]) -> Vec<&Path> {
    list.iter().map(PathBuf::as_path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_commit_has_its_own_list() {
        let id = "a".repeat(40);
        let text = format!("{id}\0A\0b c\0D\0d\0{id}\0{id}\0A\0A\0");
        let lists = parse(text.as_bytes()).unwrap();
        assert_eq!(lists.len(), 3);
        assert_eq!(lists[0].added, [PathBuf::from("b c")]);
        assert_eq!(lists[0].deleted, [PathBuf::from("d")]);
        assert_eq!(lists[1], OwnFiles::default());
        assert_eq!(lists[2].added, [PathBuf::from("A")]);
        assert_eq!(parse(b""), Some(Vec::new()));
        assert_eq!(parse(b"A\0b\0"), None);
        assert_eq!(parse(format!("{id}\0A").as_bytes()), None);
        assert_eq!(parse(format!("{id}\0M\0b\0").as_bytes()), None);
    }
}
