//! Several commits become one, or one for each unbroken run of the engine's. The files at the end stay what they are.

use orchestra_core::CommitId;

use super::range::Link;
use super::{CommitStamp, RewriteError, message};
use crate::commit_object::CommitObject;
use crate::configuration::Identity;
use crate::error::GitError;
use crate::repository::Repository;

/// What to squash and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SquashRequest {
    /// The tip of the branch it belongs to.
    pub base: CommitId,
    /// The newest commit to squash.
    pub head: CommitId,
    /// The user's message.
    pub message: String,
    /// Who the result is by. Authors of what was squashed become co-authors.
    pub author: CommitStamp,
    /// Who makes it.
    pub committer: CommitStamp,
    /// Keeps every commit whose subject does not start with this.
    pub keep_others_than: Option<String>,
}

/// What came of it. No branch points at it yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Squashed {
    /// The new tip.
    pub head: CommitId,
    /// The commit it all stands on.
    pub onto: CommitId,
    /// How many commits were squashed.
    pub squashed: usize,
    /// The commits that took their place, oldest first.
    pub made: Vec<CommitId>,
}

impl Repository {
    /// Makes the commits. The tree of the new tip is the tree of the old one.
    ///
    /// # Errors
    /// If there is nothing to squash, the histories never met, merges are in the way, or git fails.
    pub fn squash(&self, request: &SquashRequest) -> Result<Squashed, RewriteError> {
        let (base, head) = (&request.base, &request.head);
        let links = self.own_commits(base, head)?;
        if links.is_empty() {
            return Err(RewriteError::NothingToSquash);
        }
        let onto = self.fork_point(&links, base, head)?;
        let onto = onto.ok_or_else(|| RewriteError::Unrelated {
            head: head.clone(),
            base: base.clone(),
        })?;
        let commits = self.read_links(links)?;
        match &request.keep_others_than {
            Some(prefix) => self.squash_runs(request, onto, &commits, prefix),
            None => self.squash_all(request, onto, &commits),
        }
    }

    fn read_links(&self, links: Vec<Link>) -> Result<Vec<Own>, GitError> {
        let ids: Vec<_> = links.into_iter().map(|link| link.id).collect();
        let objects = self.read_commits(&ids)?;
        let pairs = ids.into_iter().zip(objects);
        Ok(pairs.map(|(id, object)| Own { id, object }).collect())
    }

    fn squash_all(
        &self,
        request: &SquashRequest,
        onto: CommitId,
        commits: &[Own],
    ) -> Result<Squashed, RewriteError> {
        let newest = commits.iter().find(|own| own.id == request.head);
        let newest = newest.ok_or(RewriteError::NothingToSquash)?;
        let object = request.commit_over(&onto, newest, commits, &request.message);
        let head = self.write_commit(&object)?;
        Ok(Squashed {
            made: vec![head.clone()],
            head,
            onto,
            squashed: commits.len(),
        })
    }

    fn squash_runs(
        &self,
        request: &SquashRequest,
        onto: CommitId,
        commits: &[Own],
        prefix: &str,
    ) -> Result<Squashed, RewriteError> {
        require_no_merges(commits)?;
        let is_engines = |own: &Own| own.object.subject().starts_with(prefix);
        let groups: Vec<_> = commits
            .chunk_by(|one, next| is_engines(one) && is_engines(next))
            .collect();
        let count = groups.iter().filter(|group| is_engines(&group[0])).count();
        let (mut head, mut squashed, mut made) = (onto.clone(), 0, Vec::new());
        for group in groups {
            if !is_engines(&group[0]) {
                head = self.put_on(&head, &group[0])?;
                continue;
            }
            let text = message::numbered(&request.message, made.len() + 1, count);
            let newest = &group[group.len() - 1];
            head = self.write_commit(&request.commit_over(&head, newest, group, &text))?;
            squashed += group.len();
            made.push(head.clone());
        }
        if made.is_empty() {
            return Err(RewriteError::NothingToSquash);
        }
        Ok(Squashed {
            head,
            onto,
            squashed,
            made,
        })
    }

    /// The same commit on another parent; itself if it stands there.
    fn put_on(&self, parent: &CommitId, own: &Own) -> Result<CommitId, GitError> {
        if own.object.parents == [parent.clone()] {
            return Ok(own.id.clone());
        }
        self.write_commit(&CommitObject {
            parents: vec![parent.clone()],
            ..own.object.clone()
        })
    }
}

impl SquashRequest {
    fn commit_over(
        &self,
        parent: &CommitId,
        newest: &Own,
        squashed: &[Own],
        text: &str,
    ) -> CommitObject {
        let others: Vec<Identity> = squashed.iter().flat_map(Own::people).collect();
        let text = message::with_co_authors(text, &self.author.identity, &others);
        CommitObject {
            tree: newest.object.tree.clone(),
            parents: vec![parent.clone()],
            author: self.author.signature(),
            committer: self.committer.signature(),
            encoding: None,
            message: text.into_bytes(),
        }
    }
}

#[derive(Debug)]
struct Own {
    id: CommitId,
    object: CommitObject,
}

impl Own {
    /// The author, and whom the message names as one.
    fn people(&self) -> impl Iterator<Item = Identity> + use<> {
        let named = message::co_authors(&self.object.message);
        self.object.author_identity().into_iter().chain(named)
    }
}

fn require_no_merges(commits: &[Own]) -> Result<(), RewriteError> {
    let merges = commits.iter().filter(|own| own.object.parents.len() > 1);
    let merges: Vec<_> = merges.map(|own| own.id.clone()).collect();
    match merges.is_empty() {
        true => Ok(()),
        false => Err(RewriteError::Merges(merges)),
    }
}
