//! A branch that is not there: which ones are called almost like it.

use orchestra_core::BranchName;

use crate::error::GitError;
use crate::repository::Repository;

/// Names that share less are no help.
const ALIKE: f64 = 0.6;
const MOST: usize = 3;

impl Repository {
    /// The error for a branch that exists neither here nor on a remote.
    pub(crate) fn no_such_branch(&self, name: &BranchName) -> GitError {
        // Without the names the error is still the right one.
        let known = self.branch_names().unwrap_or_default();
        GitError::NoSuchBranch {
            name: name.to_string(),
            near: nearest(name.as_str(), &known),
        }
    }

    fn branch_names(&self) -> Result<Vec<String>, GitError> {
        let call = self.call("for-each-ref").args([
            "--format=%(refname:lstrip=2)",
            "refs/heads/",
            "refs/remotes/",
        ]);
        let answer = self.git().run(&call)?.require_success()?;
        Ok(answer.text()?.lines().map(str::to_owned).collect())
    }
}

/// The most similar names first. A remote's branch counts by the part of its name that is the branch's.
fn nearest(wanted: &str, known: &[String]) -> Vec<String> {
    let likeness = |name: &String| {
        let own = name.split_once('/').map_or(name.as_str(), |(_, own)| own);
        let compare = |name: &str| strsim::normalized_damerau_levenshtein(wanted, name);
        compare(name).max(compare(own))
    };
    let mut scored: Vec<_> = known.iter().map(|name| (likeness(name), name)).collect();
    scored.retain(|(score, _)| *score >= ALIKE);
    scored.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    let names = scored.into_iter().map(|(_, name)| name.clone());
    names.take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_come_first_and_others_not_at_all() {
        let known = [
            "main",
            "maintenance",
            "origin/master",
            "topic",
            "origin/HEAD",
        ];
        let known: Vec<_> = known.map(str::to_owned).into();
        let cases: [(&str, &[&str]); 4] = [
            ("mian", &["main"]),
            ("mastr", &["origin/master"]),
            ("topci", &["topic"]),
            ("nope", &[]),
        ];
        for (wanted, expected) in cases {
            assert_eq!(nearest(wanted, &known), expected, "{wanted}");
        }
    }
}
