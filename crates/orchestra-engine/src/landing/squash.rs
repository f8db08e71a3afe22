//! `squash`: the commits of a session become one, or one for each unbroken run of the engine's. Files stay as they are.

use orchestra_core::{Change, CommitId, OperationKind, Session, SessionId, with_issue};
use orchestra_git::{Repository, RewriteError, SquashRequest, Squashed, Worktree};

use super::HistoryError;
use crate::commit::require_message;
use crate::operations::{Draft, move_branch_of};
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// What is squashed, and how.
#[derive(Debug, Clone)]
pub struct SquashOrder {
    /// What the commit says.
    pub message: String,
    /// Keep commits that the engine did not make.
    pub keep_manual: bool,
}

/// Commits that took the place of others.
#[derive(Debug, Clone)]
pub struct SquashDone {
    /// Where the branch is now.
    pub head: CommitId,
    /// How many commits were squashed.
    pub squashed: usize,
    /// What took their place, oldest first.
    pub made: Vec<CommitId>,
    /// The session as it is now.
    pub view: SessionView,
}

impl Engine {
    /// Makes one commit of a session's own ones. Uncommitted changes stay, staged or not.
    ///
    /// # Errors
    /// If there is nothing to squash, or the branch moved meanwhile; nothing is changed then.
    pub fn squash(&self, id: &SessionId, order: &SquashOrder) -> Result<SquashDone, EngineError> {
        require_message(&order.message)?;
        self.or_finished(id, self.squash_now(id, order), is_squashed, |done| {
            done.kind == OperationKind::Squash
        })
    }

    fn squash_now(&self, id: &SessionId, order: &SquashOrder) -> Result<SquashDone, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let session = &view.session;
        let worktree = self.worktree_of(session)?;
        self.require_own_branch(session, &worktree)?;
        let repository = worktree.repository();
        let head = self.own_head(session, repository)?;
        let squashed = self.squash_in_memory(session, repository, &head, order)?;
        require_new(session, repository, &head, &squashed)?;
        self.put_in_place(session, &worktree, &head, &squashed, order.keep_manual)?;
        Ok(SquashDone {
            head: squashed.head,
            squashed: squashed.squashed,
            made: squashed.made,
            view: self.refresh_branch(id, repository)?,
        })
    }

    fn put_in_place(
        &self,
        session: &Session,
        worktree: &Worktree,
        head: &CommitId,
        squashed: &Squashed,
        keep_manual: bool,
    ) -> Result<(), EngineError> {
        let change = Change::Branch {
            branch: session.branch.clone(),
            from: head.clone(),
            to: squashed.head.clone(),
        };
        let kept = self.keep_commits(session, worktree.repository(), head, &squashed.head)?;
        let (before, after) = (squashed.squashed, squashed.made.len());
        let summary = match keep_manual {
            true => format!("{before} commit(s) of the agent became {after}, others stay"),
            false => format!("{before} commit(s) became {after}"),
        };
        let draft = Draft {
            snapshot: Some(&kept),
            ..Draft::new(session, OperationKind::Squash, change, summary)
        };
        self.operate(&draft, || {
            move_branch_of(worktree, &session.branch, (head, &squashed.head))?;
            self.failpoints.pass("squash.moved");
            Ok(())
        })
    }

    /// The commits, with no branch at them.
    pub(super) fn squash_in_memory(
        &self,
        session: &Session,
        repository: &Repository,
        head: &CommitId,
        order: &SquashOrder,
    ) -> Result<Squashed, EngineError> {
        let stamp = self.stamp(repository)?;
        let prefix = &self.config().git.commit_prefix;
        let squashed = repository.squash(&SquashRequest {
            base: self.known_base(session, repository)?,
            head: head.clone(),
            message: with_issue(&order.message, session.issue.as_deref()),
            author: stamp.clone(),
            committer: stamp,
            keep_others_than: order.keep_manual.then(|| prefix.clone()),
        });
        squashed.map_err(|error| match error {
            RewriteError::NothingToSquash if !order.keep_manual => HistoryError::NoCommits {
                session: session.id.clone(),
                base: session.base_branch.clone(),
            }
            .into(),
            error => HistoryError::from(error).into(),
        })
    }
}

/// Whether an error says that nothing is left to squash.
fn is_squashed(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::History(
            HistoryError::OneCommitAlready { .. }
                | HistoryError::NoCommits { .. }
                | HistoryError::Rewrite(RewriteError::NothingToSquash)
        )
    )
}

/// One commit that says the same would only get another date.
fn require_new(
    session: &Session,
    repository: &Repository,
    head: &CommitId,
    squashed: &Squashed,
) -> Result<(), EngineError> {
    if squashed.squashed != 1 {
        return Ok(());
    }
    let says = |tip: &CommitId| -> Result<_, EngineError> {
        let commits = repository.log(&squashed.onto, tip, 2)?.into_iter();
        Ok(commits
            .map(|commit| (commit.subject, commit.body, commit.author))
            .collect::<Vec<_>>())
    };
    if says(head)? == says(&squashed.head)? {
        return Err(HistoryError::OneCommitAlready {
            session: session.id.clone(),
        }
        .into());
    }
    Ok(())
}
