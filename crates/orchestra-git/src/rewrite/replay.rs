//! Commits made again on top of another one, in memory: what a rebase does, without a checkout.

use std::collections::BTreeMap;

use orchestra_core::{CommitId, TreeId};

use super::CommitStamp;
use crate::commit_object::CommitObject;
use crate::error::GitError;
use crate::merge::{MergeLabels, MergeResult};
use crate::repository::Repository;

/// What to make again, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayRequest {
    /// The commit they come to stand on.
    pub onto: CommitId,
    /// What conflict markers call it, such as the name of its branch.
    pub onto_label: String,
    /// The commits, oldest first: see [`Repository::commits_to_replay`].
    pub commits: Vec<CommitId>,
    /// Who makes them again. Authors stay.
    pub committer: CommitStamp,
}

/// How far it went. No branch moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replay {
    /// All of it.
    Clean {
        /// The new tip.
        head: CommitId,
        /// How many commits still change something.
        replayed: usize,
        /// Commits that change nothing any more.
        dropped: Vec<CommitId>,
    },
    /// Up to a commit that somebody has to decide about.
    Conflict(RebaseStop),
}

impl Replay {
    /// Commits that change nothing any more.
    pub fn dropped_mut(&mut self) -> &mut Vec<CommitId> {
        match self {
            Self::Clean { dropped, .. } | Self::Conflict(RebaseStop { dropped, .. }) => dropped,
        }
    }
}

/// Where commits cannot be made again without somebody's decision, and a rebase stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RebaseStop {
    /// The commit that could not be made again.
    pub at: CommitId,
    /// What it comes to stand on: everything before it.
    pub new_parent: CommitId,
    /// The commits after it.
    pub rest: Vec<CommitId>,
    /// What git could not decide.
    pub merge: MergeResult,
    /// Commits before it that change nothing any more, since the stop before, that one included.
    pub dropped: Vec<CommitId>,
}

impl Repository {
    /// Makes commits again, one after another. A commit that stands where it should already is taken as it is; one that changes
    /// nothing any more is dropped, unless it never changed anything.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn replay(&self, request: &ReplayRequest) -> Result<Replay, GitError> {
        let objects = self.read_commits(&request.commits)?;
        let trees = self.trees_below(request, &objects)?;
        let mut tip = trees.tip(&request.onto)?;
        let (mut replayed, mut dropped) = (0, Vec::new());
        for (place, (from, original)) in request.commits.iter().zip(&objects).enumerate() {
            match self.step(request, &trees, &tip, from, original)? {
                Step::Next(next) => {
                    replayed += 1;
                    tip = next;
                }
                Step::Dropped => dropped.push(from.clone()),
                Step::Conflict(merge) => {
                    return Ok(Replay::Conflict(RebaseStop {
                        at: from.clone(),
                        new_parent: tip.id,
                        rest: request.commits[place + 1..].to_vec(),
                        merge,
                        dropped,
                    }));
                }
            }
        }
        Ok(Replay::Clean {
            head: tip.id,
            replayed,
            dropped,
        })
    }

    /// The files of every commit that something is compared with, read at once.
    fn trees_below(
        &self,
        request: &ReplayRequest,
        objects: &[CommitObject],
    ) -> Result<Trees, GitError> {
        let parents = objects.iter().flat_map(|object| object.parents.first());
        let ids: Vec<_> = parents.chain([&request.onto]).cloned().collect();
        let trees = self.read_commits(&ids)?.into_iter().map(|found| found.tree);
        Ok(Trees(ids.into_iter().zip(trees).collect()))
    }

    fn step(
        &self,
        request: &ReplayRequest,
        trees: &Trees,
        tip: &Tip,
        from: &CommitId,
        original: &CommitObject,
    ) -> Result<Step, GitError> {
        if original.parents == [tip.id.clone()] {
            let (id, tree) = (from.clone(), original.tree.clone());
            return Ok(Step::Next(Tip { id, tree }));
        }
        let base = match original.parents.first() {
            Some(parent) => trees.tip(parent)?,
            None => self.commit_of_nothing()?,
        };
        let Some(tree) = self.merged_tree(tip, from, original, &base)? else {
            let merge = self.merge_for_people(request, tip, from, original, &base)?;
            return Ok(Step::Conflict(merge));
        };
        if tree == tip.tree && base.tree != original.tree {
            return Ok(Step::Dropped);
        }
        let id = self.write_commit(&CommitObject {
            tree: tree.clone(),
            parents: vec![tip.id.clone()],
            committer: request.committer.signature(),
            ..original.clone()
        })?;
        Ok(Step::Next(Tip { id, tree }))
    }

    /// `None`: there are conflicts.
    fn merged_tree(
        &self,
        tip: &Tip,
        from: &CommitId,
        original: &CommitObject,
        base: &Tip,
    ) -> Result<Option<TreeId>, GitError> {
        if let Some(tree) = self.merge_trees_directly(&base.tree, &tip.tree, &original.tree) {
            return Ok(Some(tree));
        }
        let merge = self.merge_in_memory(&tip.id, from, Some(&base.id))?;
        Ok(merge.is_clean().then_some(merge.tree))
    }

    /// Once more, with names in the markers that say more than ids.
    fn merge_for_people(
        &self,
        request: &ReplayRequest,
        tip: &Tip,
        from: &CommitId,
        original: &CommitObject,
        base: &Tip,
    ) -> Result<MergeResult, GitError> {
        let theirs = format!("{} {}", from.short(), original.subject());
        let labels = MergeLabels {
            ours: &request.onto_label,
            theirs: &theirs,
        };
        self.merge_with_labels(&tip.id, from, Some(&base.id), labels)
    }

    /// What the first commit of a history started from.
    fn commit_of_nothing(&self) -> Result<Tip, GitError> {
        let objects = self.objects()?;
        let call = objects
            .call("hash-object")
            .args(["-t", "tree", "-w", "--stdin"]);
        let tree: TreeId = self
            .git()
            .line(&call)?
            .parse()
            .map_err(|_| call.unreadable("it is not a tree id"))?;
        let id = self.write_commit(&CommitObject::placeholder(tree.clone(), None))?;
        Ok(Tip { id, tree })
    }
}

/// The trees of some commits.
#[derive(Debug)]
struct Trees(BTreeMap<CommitId, TreeId>);

impl Trees {
    fn tip(&self, id: &CommitId) -> Result<Tip, GitError> {
        let missing = || GitError::NoSuchRevision(id.to_string());
        let tree = self.0.get(id).cloned().ok_or_else(missing)?;
        let id = id.clone();
        Ok(Tip { id, tree })
    }
}

/// A commit that others stand on or are compared with.
#[derive(Debug)]
struct Tip {
    id: CommitId,
    tree: TreeId,
}

#[derive(Debug)]
enum Step {
    Next(Tip),
    Dropped,
    Conflict(MergeResult),
}
