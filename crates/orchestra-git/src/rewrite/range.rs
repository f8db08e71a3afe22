//! The commits that a branch has and its base has not, oldest first.

use orchestra_core::CommitId;

use crate::call::Call;
use crate::error::GitError;
#[cfg(target_os = "linux")]
use crate::history::Parting;
use crate::repository::Repository;

/// A commit and what it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) id: CommitId,
    pub(super) parents: Vec<CommitId>,
}

impl Link {
    pub(super) fn is_merge(&self) -> bool {
        self.parents.len() > 1
    }
}

impl Repository {
    /// The commits that a rebase of `head` onto `base` makes again, oldest first. Merges are left out, as git does.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn commits_to_replay(
        &self,
        base: &CommitId,
        head: &CommitId,
    ) -> Result<Vec<CommitId>, GitError> {
        let links = self.own_commits(base, head)?;
        let kept = links.into_iter().filter(|link| !link.is_merge());
        Ok(kept.map(|link| link.id).collect())
    }

    /// Everything `head` has and `base` has not, parents before children.
    pub(super) fn own_commits(
        &self,
        base: &CommitId,
        head: &CommitId,
    ) -> Result<Vec<Link>, GitError> {
        #[cfg(target_os = "linux")]
        if let Some(parting) = self.part_directly(head, base) {
            return Ok(links(parting));
        }
        let call: Call = self
            .objects()?
            .call("rev-list")
            .args(["--parents", "--reverse", "--topo-order"])
            .args([head.as_str(), &format!("^{base}"), "--"]);
        let text = self.git().run(&call)?.require_success()?.text()?;
        parse(&text).ok_or_else(|| call.unreadable("it is not a list of commits"))
    }

    /// The best common ancestor. Without merges it is what the oldest commit stands on, so nobody has to be asked.
    pub(super) fn fork_point(
        &self,
        links: &[Link],
        base: &CommitId,
        head: &CommitId,
    ) -> Result<Option<CommitId>, GitError> {
        if links.iter().any(Link::is_merge) {
            return self.merge_base(base, head);
        }
        Ok(match links.first() {
            Some(oldest) => oldest.parents.first().cloned(),
            None => Some(head.clone()),
        })
    }
}

/// Each commit stands on the one before it, and the oldest on the fork.
#[cfg(target_os = "linux")]
fn links(parting: Parting) -> Vec<Link> {
    let mut parent = parting.fork;
    let link = |id: CommitId| Link {
        parents: vec![std::mem::replace(&mut parent, id.clone())],
        id,
    };
    parting.own.into_iter().rev().map(link).collect()
}

fn parse(text: &str) -> Option<Vec<Link>> {
    let link = |line: &str| {
        let mut ids = line.split_ascii_whitespace().map(str::parse);
        let id = ids.next()?.ok()?;
        let parents = ids.collect::<Result<_, _>>().ok()?;
        Some(Link { id, parents })
    };
    text.lines().map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_a_commit_and_its_parents() {
        let (one, two, three) = ("1".repeat(40), "2".repeat(40), "3".repeat(40));
        let links = parse(&format!("{one}\n{two} {one}\n{three} {two} {one}\n")).unwrap();
        let merges: Vec<_> = links.iter().map(Link::is_merge).collect();
        assert_eq!(merges, [false, false, true]);
        assert_eq!(links[1].parents, [links[0].id.clone()]);
        assert_eq!(parse(&format!("{one} x\n")), None);
        assert_eq!(parse("\n"), None);
    }
}
