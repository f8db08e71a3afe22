//! Where two histories part, found in process where neither has a merge until there. That is the usual session on the usual
//! base; everything else is left to git.

use std::collections::HashMap;

use gix_hash::ObjectId;
use orchestra_core::CommitId;

use crate::objects::Objects;
use crate::repository::Repository;

/// Histories that are longer apart are left to git, which may have an index of them.
const LONGEST: usize = 1_000;

/// What each of two histories has that the other has not.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parting {
    /// Commits only the first one has, newest first.
    pub(crate) own: Vec<CommitId>,
    /// How many commits only the second one has.
    pub(crate) others: usize,
    /// The newest commit that both have.
    pub(crate) fork: CommitId,
}

impl Repository {
    /// Where the histories of two commits part. `None`: git has to be asked.
    pub(crate) fn part_directly(&self, one: &CommitId, other: &CommitId) -> Option<Parting> {
        if self.has_edited_history() {
            return None;
        }
        let start = [object_id(one)?, object_id(other)?];
        self.directly(|store| Walk::new(start).part(&store.objects()))
    }

    /// Files that give commits other parents than they name.
    fn has_edited_history(&self) -> bool {
        ["shallow", "info/grafts"]
            .iter()
            .any(|name| self.common_dir().join(name).exists())
    }
}

/// Both histories, each from its newest commit to the last one that was reached.
struct Walk {
    chains: [Vec<ObjectId>; 2],
    places: [HashMap<ObjectId, usize>; 2],
    ended: [bool; 2],
}

impl Walk {
    fn new(start: [ObjectId; 2]) -> Self {
        Self {
            chains: start.map(|id| vec![id]),
            places: start.map(|id| HashMap::from([(id, 0)])),
            ended: [false; 2],
        }
    }

    /// Goes back on both sides in turn, so that a long history on one of them does not matter.
    fn part(mut self, objects: &Objects) -> Option<Parting> {
        if self.chains[0] == self.chains[1] {
            return self.parting(0, 0);
        }
        for _ in 0..LONGEST {
            for side in [0, 1] {
                if let Some(place) = self.step(side, objects)? {
                    let length = self.chains[side].len();
                    let (own, others) = [(length, place), (place, length)][side];
                    return self.parting(own, others);
                }
            }
        }
        None
    }

    /// One commit further on a side, and where that is on the other one if it is there. A merge or a first commit ends a side;
    /// the other one may still come upon what this one has.
    fn step(&mut self, side: usize, objects: &Objects) -> Option<Option<usize>> {
        if self.ended[side] {
            return (!self.ended[1 - side]).then_some(None);
        }
        let parents = objects.parents_of(self.chains[side].last()?).ok()?;
        let &[parent] = parents.as_slice() else {
            self.ended[side] = true;
            return Some(None);
        };
        if let Some(place) = self.places[1 - side].get(&parent) {
            return Some(Some(*place));
        }
        self.places[side].insert(parent, self.chains[side].len());
        self.chains[side].push(parent);
        Some(None)
    }

    fn parting(&self, own: usize, others: usize) -> Option<Parting> {
        let chain = &self.chains[0];
        let fork = chain.get(own).or_else(|| self.chains[1].get(others))?;
        Some(Parting {
            own: chain[..own].iter().map(commit_id).collect::<Option<_>>()?,
            others,
            fork: commit_id(fork)?,
        })
    }
}

fn object_id(commit: &CommitId) -> Option<ObjectId> {
    ObjectId::from_hex(commit.as_str().as_bytes()).ok()
}

fn commit_id(id: &ObjectId) -> Option<CommitId> {
    id.to_string().parse().ok()
}
