//! Names for the two sides of a merge that git takes: they are branches of the shadow.

use orchestra_core::{BranchName, CommitId};

use super::MergeLabels;

const LONGEST: usize = 60;

/// Two different names. What cannot be made a name becomes the beginning of the commit's id.
pub(super) fn distinct(
    labels: MergeLabels<'_>,
    ours: &CommitId,
    theirs: &CommitId,
) -> (BranchName, BranchName) {
    let (first, second) = (name(labels.ours, ours), name(labels.theirs, theirs));
    if !clash(&first, &second) {
        return (first, second);
    }
    (plain("ours", ours), plain("theirs", theirs))
}

/// `a` and `a/b` cannot both be branches.
fn clash(one: &BranchName, other: &BranchName) -> bool {
    let below = |one: &BranchName, other: &BranchName| {
        let rest = one.as_str().strip_prefix(other.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    below(one, other) || below(other, one)
}

fn name(label: &str, commit: &CommitId) -> BranchName {
    let keep = |char: char| char.is_alphanumeric() || "-_./".contains(char);
    let text: String = label
        .chars()
        .take(LONGEST)
        .map(|char| if keep(char) { char } else { '-' })
        .collect();
    let words: Vec<_> = text.split('-').filter(|word| !word.is_empty()).collect();
    let text = words.join("-");
    text.parse().unwrap_or_else(|_| plain("commit", commit))
}

fn plain(word: &str, commit: &CommitId) -> BranchName {
    format!("{word}-{}", commit.short())
        .parse()
        .expect("a word and hex digits are a branch name")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ours: &str, theirs: &str) -> (String, String) {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let labels = MergeLabels { ours, theirs };
        let (ours, theirs) = distinct(labels, &one.parse().unwrap(), &two.parse().unwrap());
        (ours.to_string(), theirs.to_string())
    }

    #[test]
    fn text_becomes_a_name() {
        let (ours, theirs) = labels("main", "abc1234567 amp: fix `login` (now)");
        assert_eq!(
            (ours.as_str(), theirs.as_str()),
            ("main", "abc1234567-amp-fix-login-now")
        );
        assert_eq!(labels("größe", "x").0, "größe");
        assert_eq!(labels(&"a".repeat(300), "x").0.len(), LONGEST);
    }

    #[test]
    fn what_is_no_name_becomes_the_id() {
        let (ours, theirs) = labels("..", "");
        assert_eq!(
            (ours.as_str(), theirs.as_str()),
            ("commit-1111111111", "commit-2222222222")
        );
    }

    #[test]
    fn names_that_exclude_each_other_are_replaced() {
        for (ours, theirs) in [("main", "main"), ("a", "a/b"), ("a/b", "a")] {
            let (ours, theirs) = labels(ours, theirs);
            assert_eq!(
                (ours.as_str(), theirs.as_str()),
                ("ours-1111111111", "theirs-2222222222")
            );
        }
    }
}
