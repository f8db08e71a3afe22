//! Whether a session's directory stands on the session's branch, and what became of a branch that is gone.

use orchestra_core::{
    BranchName, CommitId, EventBody, GitFacts, OtherCheckout, Session, SessionId, SessionStatus,
};
use orchestra_git::{BoardRow, CheckedOut, Checkouts, Repository, Worktree};
use orchestra_store::{SessionField, StoreError};

use crate::view::SessionView;
use crate::{Engine, EngineError};

/// A session's branch that is not there.
#[derive(Debug)]
pub(crate) struct GoneBranch {
    /// What became of it, in words.
    pub(crate) problem: String,
    /// The way out.
    pub(crate) way_out: String,
}

/// A command that puts a checkout right, and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayBack {
    /// The command.
    pub command: String,
    /// What it does, in a few words.
    pub does: &'static str,
}

impl SessionView {
    /// What git last found checked out instead of the session's branch. An agent at work may have anything checked out for
    /// a while.
    #[must_use]
    pub fn other_checkout(&self) -> Option<&OtherCheckout> {
        let facts = self.git.as_ref();
        facts
            .filter(|_| self.status != SessionStatus::Running)
            .and_then(|facts| facts.other_checkout.as_ref())
    }
}

impl Engine {
    /// The commands that bring a session and its directory together again, the best first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn ways_back(
        &self,
        session: &Session,
        other: &OtherCheckout,
    ) -> Result<Vec<WayBack>, EngineError> {
        let (id, branch) = (&session.id, &session.branch);
        let git = format!("git -C '{}'", session.worktree.display());
        let way = |command: String, does| WayBack { command, does };
        Ok(match other {
            OtherCheckout::Branch { .. } | OtherCheckout::Commit { .. } => {
                vec![way(format!("{git} switch {branch}"), "goes back")]
            }
            OtherCheckout::BranchGone { now: Some(now), .. } => vec![
                way(
                    format!("orchestra session set {id} branch {now}"),
                    "takes the new name",
                ),
                way(
                    format!("{git} branch -m {now} {branch}"),
                    "gives it the old one again",
                ),
            ],
            OtherCheckout::BranchGone { now: None, last } => {
                let commit = match last {
                    Some(last) => last.clone(),
                    None => self.last_recorded_head(session)?,
                };
                let command = format!("{git} branch {branch} {commit}");
                vec![way(command, "makes it again")]
            }
        })
    }

    /// The commit of a session's own branch, which must exist.
    pub(crate) fn own_head(
        &self,
        session: &Session,
        repository: &Repository,
    ) -> Result<CommitId, EngineError> {
        match repository.find_branch(&session.branch)? {
            Some(head) => Ok(head),
            None => {
                let GoneBranch { problem, way_out } = self.gone_branch(session, repository)?;
                Err(EngineError::BranchGone {
                    session: session.id.clone(),
                    problem,
                    way_out,
                })
            }
        }
    }

    /// Commits of a session go to its own branch and nowhere else, so that is what its directory has to stand on.
    pub(crate) fn require_checked_out(
        &self,
        session: &Session,
        worktree: &Worktree,
    ) -> Result<(), EngineError> {
        let head = worktree.head()?;
        if head.branch() == Some(&session.branch) {
            return Ok(());
        }
        self.own_head(session, worktree.repository())?;
        let found = head
            .branch()
            .map_or_else(|| "no branch".to_owned(), |branch| format!("`{branch}`"));
        Err(EngineError::OtherBranch {
            session: session.id.clone(),
            worktree: session.worktree.clone(),
            branch: session.branch.clone(),
            found,
        })
    }

    /// Takes a branch that was renamed with git for the session's own.
    pub(crate) fn take_new_name(
        &self,
        id: &SessionId,
        name: &BranchName,
    ) -> Result<SessionView, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let session = &view.session;
        let repository = self.repository_of(session)?;
        repository.require_branch(name)?;
        require_renamed(&view, &repository, name)?;
        let field = SessionField::Branch(name.clone());
        self.write(|tx| {
            match tx.set_field(id, &field) {
                Err(StoreError::Taken(_)) => {
                    let what = format!("the branch `{name}`");
                    return Err(EngineError::Reserved { what });
                }
                done => done?,
            }
            for mut operation in tx.operations(id)? {
                if operation.change.rename_branch(&session.branch, name) {
                    tx.set_operation_change(operation.key, &operation.change)?;
                }
            }
            let field = field.name().to_owned();
            tx.append_event(Some(id), &EventBody::SessionChanged { field })?;
            Ok(())
        })?;
        self.refresh(id)
    }

    /// What became of a session's branch that is not there.
    pub(crate) fn gone_branch(
        &self,
        session: &Session,
        repository: &Repository,
    ) -> Result<GoneBranch, EngineError> {
        let git = self.session(&session.id)?.git;
        let gone = gone(session, repository, &checkouts(repository), git.as_ref());
        let ways = self.ways_back(session, &gone)?.into_iter();
        let ways: Vec<_> = ways
            .map(|way| format!("`{}` {}", way.command, way.does))
            .collect();
        Ok(GoneBranch {
            problem: gone.problem(&session.branch),
            way_out: ways.join(", "),
        })
    }

    /// Where the session's branch was last: as git said, or else as it is recorded.
    pub(crate) fn last_known_head(&self, session: &Session) -> Result<CommitId, EngineError> {
        let git = self.session(&session.id)?.git;
        match git.as_ref().and_then(last_seen) {
            Some(head) => Ok(head),
            None => self.last_recorded_head(session),
        }
    }

    /// Where the session's branch was, as far as it is recorded.
    fn last_recorded_head(&self, session: &Session) -> Result<CommitId, EngineError> {
        let iterations = self.iterations(&session.id)?;
        let last = iterations.iter().rev().find_map(|it| it.head_after.clone());
        Ok(last.unwrap_or_else(|| session.base_commit.clone()))
    }
}

/// What the worktrees of a repository stand on; nothing where that cannot be told now.
pub(crate) fn checkouts(repository: &Repository) -> Checkouts {
    repository.checkouts().unwrap_or_else(|error| {
        tracing::debug!(code = error.code(), %error, "cannot tell what is checked out");
        Checkouts::default()
    })
}

/// Decides from what git said of the session's branch and of the directory, now and before.
pub(crate) fn other_checkout(
    session: &Session,
    repository: &Repository,
    row: &BoardRow,
    checkouts: &Checkouts,
    known: Option<&GitFacts>,
) -> Option<OtherCheckout> {
    if !session.worktree_ready || session.trash.is_some() {
        return None;
    }
    if row.head.is_none() {
        return Some(gone(session, repository, checkouts, known));
    }
    if session.rebase.is_some() {
        // git stands between the commits of a rebase.
        return None;
    }
    match checkouts.at(&session.worktree)? {
        CheckedOut::Branch(name) if name == session.branch.as_str() => None,
        CheckedOut::Branch(name) => Some(OtherCheckout::Branch { name: name.clone() }),
        CheckedOut::Commit(id) => Some(OtherCheckout::Commit { id: id.clone() }),
    }
}

/// A branch that is gone, where it was last, and what it may be called now.
fn gone(
    session: &Session,
    repository: &Repository,
    checkouts: &Checkouts,
    known: Option<&GitFacts>,
) -> OtherCheckout {
    let last = known.and_then(last_seen);
    let now = new_name(session, repository, checkouts, last.as_ref());
    OtherCheckout::BranchGone { now, last }
}

/// Where git saw the session's branch last.
fn last_seen(facts: &GitFacts) -> Option<CommitId> {
    match (&facts.head, &facts.other_checkout) {
        (None, Some(OtherCheckout::BranchGone { last, .. })) => last.clone(),
        (head, _) => head.clone(),
    }
}

/// What a branch is called that was renamed: the directory of a session went along with it. If that is somewhere else, it is
/// the only other branch with the session's last commit.
fn new_name(
    session: &Session,
    repository: &Repository,
    checkouts: &Checkouts,
    last: Option<&CommitId>,
) -> Option<String> {
    let is_other = |name: &&BranchName| **name != session.base_branch;
    if let Some(CheckedOut::Branch(name)) = checkouts.at(&session.worktree)
        && let Some(name) = name.parse::<BranchName>().ok().as_ref().filter(is_other)
        && let Ok(Some(tip)) = repository.find_branch(name)
        && last.is_none_or(|last| repository.is_ancestor(last, &tip).unwrap_or(false))
    {
        return Some(name.to_string());
    }
    let last = last.filter(|last| **last != session.base_commit)?;
    let there = repository.branches_at(last).ok()?;
    match there.iter().filter(is_other).collect::<Vec<_>>().as_slice() {
        [only] => Some(only.to_string()),
        _ => None,
    }
}

/// A branch that is still there, or that others land on, is not one that was renamed.
fn require_renamed(
    view: &SessionView,
    repository: &Repository,
    name: &BranchName,
) -> Result<(), EngineError> {
    let session = &view.session;
    let (id, old) = (&session.id, &session.branch);
    let refused = |why, way_out| EngineError::WrongState {
        session: id.clone(),
        status: view.status,
        why,
        way_out,
    };
    if session.rebase.is_some() {
        let way_out = format!(
            "`orchestra session rebase {id} --continue` finishes its rebase, or --abort gives it up"
        );
        return Err(refused("a rebase waits at a conflict", way_out));
    }
    if *name == session.base_branch {
        let way_out = format!("`git branch {old} <commit>` makes its own branch again");
        return Err(refused("that is the branch it lands on", way_out));
    }
    if repository.find_branch(old)?.is_some() {
        let way_out = format!("to rename it: `git branch -m {old} {name}`, then the same command");
        return Err(refused("its own branch is still there", way_out));
    }
    Ok(())
}
