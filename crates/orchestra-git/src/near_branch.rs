//! A branch that is not there: which ones are called almost like it.

use std::collections::BTreeSet;

use orchestra_core::BranchName;

use crate::error::GitError;
use crate::repository::Repository;

/// Names that share less are no help.
const ALIKE: f64 = 0.6;
const MOST: usize = 3;

impl Repository {
    /// The error for a branch that is not there.
    pub(crate) fn no_such_branch(&self, name: &BranchName) -> GitError {
        // Without the names the error is still the right one.
        let known = self.branch_names().unwrap_or_default();
        GitError::NoSuchBranch {
            name: name.to_string(),
            near: nearest(name.as_str(), &known),
            on_remote: None,
        }
    }

    /// The error for a branch that must be here and is not, though a remote may have it.
    pub(crate) fn no_such_local_branch(&self, name: &BranchName) -> GitError {
        let local = self.names_below("refs/heads/", 2).unwrap_or_default();
        let remote = self.names_below("refs/remotes/", 2).unwrap_or_default();
        GitError::NoSuchBranch {
            name: name.to_string(),
            near: nearest(name.as_str(), &local.into_iter().collect()),
            on_remote: remote_branch(name.as_str(), &remote),
        }
    }

    /// Names as commands take them: a remote's branch by the branch's own name.
    fn branch_names(&self) -> Result<BTreeSet<String>, GitError> {
        let local = self.names_below("refs/heads/", 2)?;
        let remote = self.names_below("refs/remotes/", 3)?;
        let remote = remote.into_iter().filter(|name| name != "HEAD");
        Ok(local.into_iter().chain(remote).collect())
    }
}

/// A remote's branch of this name, with the remote's own name before it whether or not the user wrote that.
fn remote_branch(wanted: &str, remote: &[String]) -> Option<String> {
    let is_it = |name: &&String| {
        let own = name.split_once('/').map(|(_, own)| own);
        own != Some("HEAD") && (*name == wanted || own == Some(wanted))
    };
    remote.iter().find(is_it).cloned()
}

/// The most similar names first. Somebody may have written the remote's name before the branch's.
fn nearest(wanted: &str, known: &BTreeSet<String>) -> Vec<String> {
    let own = wanted.split_once('/').map_or(wanted, |(_, own)| own);
    let likeness = |name: &String| {
        let compare = |wanted: &str| strsim::normalized_damerau_levenshtein(wanted, name);
        compare(wanted).max(compare(own))
    };
    let others = known.iter().filter(|name| *name != wanted);
    let mut scored: Vec<_> = others.map(|name| (likeness(name), name)).collect();
    scored.retain(|(score, _)| *score >= ALIKE);
    scored.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    let names = scored.into_iter().map(|(_, name)| name.clone());
    names.take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remotes_branch_is_found_by_its_own_name() {
        let remote = ["origin/HEAD", "origin/main", "origin/feature/x"].map(str::to_owned);
        let cases = [
            ("feature/x", Some("origin/feature/x")),
            ("origin/feature/x", Some("origin/feature/x")),
            ("x", None),
            ("HEAD", None),
        ];
        for (wanted, expected) in cases {
            assert_eq!(remote_branch(wanted, &remote).as_deref(), expected);
        }
    }

    #[test]
    fn similar_names_come_first_and_others_not_at_all() {
        let known = ["main", "maintenance", "master", "release-1", "topic"];
        let known = known.map(str::to_owned).into();
        let cases: [(&str, &[&str]); 6] = [
            ("mian", &["main"]),
            ("mastr", &["master"]),
            ("topci", &["topic"]),
            ("origin/release-1", &["release-1"]),
            ("topic", &[]),
            ("nope", &[]),
        ];
        for (wanted, expected) in cases {
            assert_eq!(nearest(wanted, &known), expected, "{wanted}");
        }
    }
}
