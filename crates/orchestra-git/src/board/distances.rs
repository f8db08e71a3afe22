//! Distances of many pairs of commits, for a git that cannot count them itself: what the histories do not all share is
//! listed once, and counted here.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use orchestra_core::CommitId;

use crate::error::GitError;
use crate::reference::AheadBehind;
use crate::repository::Repository;

/// Few enough for the shortest command line of any platform.
const PER_PROCESS: usize = 500;

/// A commit and the one it is compared with.
pub(super) type Pair = (CommitId, CommitId);

impl Repository {
    /// Counts every pair, with two processes for up to 500 different commits.
    pub(super) fn distances(
        &self,
        pairs: &BTreeSet<Pair>,
    ) -> Result<BTreeMap<Pair, AheadBehind>, GitError> {
        let apart = pairs.iter().filter(|(one, other)| one != other);
        let commits: BTreeSet<&CommitId> = apart.flat_map(|(one, other)| [one, other]).collect();
        let commits: Vec<&CommitId> = commits.into_iter().collect();
        let listing = match commits.is_empty() {
            true => String::new(),
            false => self.list_unshared(&commits)?,
        };
        let history = History::parse(&listing);
        let mut counted = Counted::new(&history);
        Ok(pairs
            .iter()
            .map(|pair| (pair.clone(), counted.compare(pair)))
            .collect())
    }

    /// Every commit that some but not all of the given ones have, each with its parents on one line.
    fn list_unshared(&self, commits: &[&CommitId]) -> Result<String, GitError> {
        let shared = self.shared_ancestor(commits)?;
        let wanted = commits.iter().map(|commit| format!("{commit}\n"));
        let unwanted = shared.iter().map(|commit| format!("^{commit}\n"));
        let call = self
            .objects()?
            .call("rev-list")
            .args(["--parents", "--stdin"])
            .stdin(wanted.chain(unwanted).collect::<String>().into_bytes());
        self.git().run(&call)?.require_success()?.text()
    }

    /// A commit that all have in their history; `None` if there is none.
    fn shared_ancestor(&self, commits: &[&CommitId]) -> Result<Option<CommitId>, GitError> {
        let mut shared: Option<CommitId> = None;
        for commits in commits.chunks(PER_PROCESS) {
            let all = commits.iter().copied().chain(&shared);
            let call = self.objects()?.call("merge-base").arg("--octopus");
            let call = call.args(all.map(CommitId::as_str));
            let answer = self.git().run(&call)?;
            if answer.exited_with(1) {
                return Ok(None);
            }
            let text = answer.require_success()?.text()?;
            let id = text.lines().next().and_then(|line| line.parse().ok());
            shared = Some(id.ok_or_else(|| call.unreadable("it is not a commit id"))?);
        }
        Ok(shared)
    }
}

/// A part of a history: commits by number, and the numbers of their parents.
struct History<'a> {
    numbers: HashMap<&'a str, usize>,
    parents: Vec<Vec<usize>>,
}

impl<'a> History<'a> {
    /// Parents that are not listed themselves belong to everybody, so they do not count.
    fn parse(listing: &'a str) -> Self {
        let commits = listing.lines().map(|line| line.split(' '));
        let numbers: HashMap<&str, usize> = commits
            .clone()
            .filter_map(|mut ids| ids.next())
            .enumerate()
            .map(|(number, id)| (id, number))
            .collect();
        let known = |id| numbers.get(id).copied();
        let parents = commits.map(|ids| ids.skip(1).filter_map(known).collect());
        Self {
            parents: parents.collect(),
            numbers,
        }
    }

    /// For each commit, whether it is the given one or before it.
    fn until(&self, commit: &CommitId) -> Vec<bool> {
        let mut found = vec![false; self.parents.len()];
        let mut left: Vec<usize> = self
            .numbers
            .get(commit.as_str())
            .copied()
            .into_iter()
            .collect();
        while let Some(number) = left.pop() {
            if !std::mem::replace(&mut found[number], true) {
                left.extend(&self.parents[number]);
            }
        }
        found
    }
}

/// Comparisons of one history. What many are compared with is looked at once.
struct Counted<'a> {
    history: &'a History<'a>,
    others: HashMap<CommitId, Vec<bool>>,
}

impl<'a> Counted<'a> {
    fn new(history: &'a History<'a>) -> Self {
        Self {
            history,
            others: HashMap::new(),
        }
    }

    fn compare(&mut self, (one, other): &Pair) -> AheadBehind {
        let before_other = self
            .others
            .entry(other.clone())
            .or_insert_with(|| self.history.until(other));
        let before_one = self.history.until(one);
        let mut counts = AheadBehind {
            ahead: 0,
            behind: 0,
        };
        for (in_one, in_other) in before_one.iter().zip(before_other.iter()) {
            counts.ahead += u64::from(*in_one && !in_other);
            counts.behind += u64::from(*in_other && !in_one);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: char) -> CommitId {
        digit.to_string().repeat(40).parse().unwrap()
    }

    #[test]
    fn merges_are_counted_once() {
        // 4 merges 2 and 3; 5 follows 3; all come from 1, which everybody has.
        let lines = [
            vec!['5', '3'],
            vec!['4', '2', '3'],
            vec!['3', '1'],
            vec!['2', '1'],
        ];
        let listing: Vec<String> = lines
            .map(|ids| {
                ids.iter()
                    .map(|digit| id(*digit).to_string())
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .to_vec();
        let listing = listing.join("\n");
        let history = History::parse(&listing);
        let mut counted = Counted::new(&history);
        let mut compare = |one, other| {
            let AheadBehind { ahead, behind } = counted.compare(&(id(one), id(other)));
            (ahead, behind)
        };
        assert_eq!(compare('4', '5'), (2, 1));
        assert_eq!(compare('5', '4'), (1, 2));
        assert_eq!(compare('4', '3'), (2, 0));
        assert_eq!(compare('1', '4'), (0, 3));
        assert_eq!(compare('4', '4'), (0, 0));
    }
}
