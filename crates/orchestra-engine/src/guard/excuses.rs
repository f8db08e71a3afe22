//! What the engine itself did in a repository meanwhile, so that nobody is blamed for it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use orchestra_core::{BranchName, Change, CommitId, Operation, OperationState, Session};
use orchestra_git::{CheckoutPlace, Head, StashEntry, SurroundingChange, Worktree};
use orchestra_store::Activity;

use super::{KnownSession, Watch};
use crate::project_commands::{AFTER_MERGE, run_name};
use crate::{Engine, EngineError};

/// What is excused.
#[derive(Debug)]
pub(super) struct Excuses {
    own_branch: BranchName,
    /// Branches of other sessions that were at work, are new or are gone.
    branches: BTreeSet<BranchName>,
    /// The directories of these sessions, and the main checkout while a command of ours runs in it.
    pub(super) worktrees: BTreeSet<PathBuf>,
    /// Branches that operations moved.
    moves: Vec<Move>,
}

#[derive(Debug)]
struct Move {
    branch: BranchName,
    from: CommitId,
    to: CommitId,
    /// Files may be half written.
    is_open: bool,
}

impl Engine {
    pub(super) fn excuses(&self, session: &Session, watch: &Watch) -> Result<Excuses, EngineError> {
        let activity = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.activity_since(session.repository, watch.since)?))?;
        let now = self.other_sessions(session)?;
        let mut excuses = Excuses {
            own_branch: session.branch.clone(),
            branches: BTreeSet::new(),
            worktrees: BTreeSet::new(),
            moves: activity.operations.iter().filter_map(moved).collect(),
        };
        excuses.add_sessions(&watch.sessions, &now, &activity);
        if activity.scripts.contains(run_name(AFTER_MERGE)) {
            let root = self.repository_of(session)?.root().to_owned();
            excuses.worktrees.insert(root);
        }
        Ok(excuses)
    }
}

fn moved(operation: &Operation) -> Option<Move> {
    match &operation.change {
        Change::Branch { branch, from, to }
        | Change::Checkout { branch, from, to }
        | Change::Index {
            branch, from, to, ..
        } => Some(Move {
            branch: branch.clone(),
            from: from.clone(),
            to: to.clone(),
            is_open: operation.state == OperationState::Open,
        }),
        Change::Worktree { .. }
        | Change::Trash { .. }
        | Change::TrashedBranch { .. }
        | Change::Lasting => None,
    }
}

type Sessions = BTreeMap<orchestra_core::SessionId, KnownSession>;

impl Excuses {
    fn add_sessions(&mut self, before: &Sessions, now: &Sessions, activity: &Activity) {
        let is_settled = |id| activity.sessions.contains(id) || before.get(id) != now.get(id);
        let all = before.iter().chain(now);
        for (_, known) in all.filter(|(id, _)| is_settled(id)) {
            self.branches.insert(known.branch.clone());
            self.worktrees.insert(known.worktree.clone());
        }
    }

    /// Whether the engine did it, or what works in another session. Of a list, what it did is taken out.
    pub(super) fn excuse(
        &self,
        change: &mut SurroundingChange,
        worktree: &Worktree,
        own: Option<&Head>,
    ) -> bool {
        match change {
            SurroundingChange::Reference { name, from, to } => {
                self.excuses_reference(name, from.as_deref(), to.as_deref(), own)
            }
            SurroundingChange::Stash { added, removed } => {
                added.retain(|entry| !self.excuses_stash(entry));
                removed.retain(|entry| !self.excuses_stash(entry));
                added.is_empty() && removed.is_empty()
            }
            SurroundingChange::GitFile { worktree, .. } => worktree
                .as_ref()
                .is_some_and(|it| self.worktrees.contains(it)),
            SurroundingChange::WorktreeList { worktree, .. } => self.worktrees.contains(worktree),
            SurroundingChange::Directory { checkout, .. }
            | SurroundingChange::Head { checkout, .. } => self.worktrees.contains(&checkout.path),
            SurroundingChange::Index { checkout, paths }
            | SurroundingChange::PassedOver { checkout, paths } => {
                let landed = self.landed_paths(checkout, worktree, |_| true);
                paths.retain(|path| !landed.contains(path));
                paths.is_empty() || self.worktrees.contains(&checkout.path)
            }
            SurroundingChange::File { checkout, path, .. } => {
                self.worktrees.contains(&checkout.path)
                    || self
                        .landed_paths(checkout, worktree, |it| it.is_open)
                        .contains(path)
            }
        }
    }

    fn excuses_reference(
        &self,
        name: &str,
        from: Option<&str>,
        to: Option<&str>,
        own: Option<&Head>,
    ) -> bool {
        let Some(branch) = name.strip_prefix("refs/heads/") else {
            return false;
        };
        let is = |other: &BranchName| other.as_str() == branch;
        // A new branch that the agent works on is told of by the iteration.
        let is_own_new = from.is_none() && own.and_then(Head::branch).is_some_and(is);
        let is_moved = self.moves.iter().any(|it| {
            is(&it.branch) && [&it.from, &it.to].iter().any(|id| Some(id.as_str()) == to)
        });
        is(&self.own_branch) || is_own_new || is_moved || self.branches.iter().any(is)
    }

    fn excuses_stash(&self, entry: &StashEntry) -> bool {
        self.branches.iter().any(|branch| entry.is_of(branch))
    }

    /// Files that operations brought to a checkout, which has the branch that they moved.
    fn landed_paths(
        &self,
        checkout: &CheckoutPlace,
        worktree: &Worktree,
        counts: impl Fn(&Move) -> bool,
    ) -> BTreeSet<PathBuf> {
        let repository = worktree.repository();
        let head = repository
            .worktree_at(&checkout.path)
            .ok()
            .and_then(|checkout| checkout.head().ok());
        let Some(branch) = head.as_ref().and_then(Head::branch) else {
            return BTreeSet::new();
        };
        let is_meant = |it: &&Move| it.branch == *branch && counts(it);
        let moves = self.moves.iter().filter(is_meant);
        moves
            .filter_map(|it| repository.changes_between(&it.from, &it.to).ok())
            .flatten()
            .flat_map(|change| [Some(change.path), change.original])
            .flatten()
            .collect()
    }
}
