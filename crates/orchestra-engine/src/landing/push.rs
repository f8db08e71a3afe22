//! Pushing a session's branch to a remote. It cannot be undone, so it asks more than git does: only what this machine had on the
//! branch may be replaced.

use std::time::Duration;

use orchestra_core::{
    Change, CommitId, Operation, OperationKind, Push, PushedAs, RemoteName, Session, SessionId,
    SessionStatus, Timestamp, visible_line,
};
use orchestra_git::{PushForce, PushRequest, Repository};

use super::MergeError;
use super::merge::require_landed;
use crate::operations::Draft;
use crate::recover::Settled;
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// How long a push may take.
const WAIT: Duration = Duration::from_secs(10 * 60);
/// More commits that only the remote has are not looked at one by one.
const MOST_MISSING: usize = 100;
/// Fewer digits of a commit id could be a slip.
const SHORTEST: usize = 7;

/// How a session is pushed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PushSession {
    /// Where to; `origin` or the only remote if absent.
    pub remote: Option<String>,
    /// What becomes of commits that only the remote has.
    pub theirs: RemoteCommits,
}

/// What becomes of commits that only the remote has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RemoteCommits {
    /// They stay: a push that would lose them is refused.
    #[default]
    Stay,
    /// They are replaced, if they are those that were seen there last.
    ReplacedIfSeen,
    /// They are replaced, whoever made them, if the newest is exactly this one: a commit id, or the beginning of the one that
    /// was seen last.
    ReplacedAt(String),
}

/// A push that was done.
#[derive(Debug, Clone)]
pub struct PushDone {
    /// Where the remote's branch is now.
    pub push: Push,
    /// How it came there.
    pub how: PushedAs,
    /// The session as it is now.
    pub view: SessionView,
}

/// A session's branch against the same branch on a remote, as it was seen last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushState {
    /// The remote.
    pub remote: RemoteName,
    /// Where its branch was seen last.
    pub commit: CommitId,
    /// Commits that are not there yet.
    pub ahead: u64,
    /// Commits that are only there.
    pub behind: u64,
    /// When this program pushed there last.
    pub pushed_at: Option<Timestamp>,
}

impl Engine {
    /// Pushes a session's branch to the branch of the same name.
    ///
    /// # Errors
    /// If something works on the session, there is no remote, or the remote has commits that would be lost.
    pub fn push(&self, id: &SessionId, request: &PushSession) -> Result<PushDone, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let session = &view.session;
        require_settled(&view)?;
        let repository = self.repository_of(session)?;
        let commit = self.own_head(session, &repository)?;
        let remote = repository.remote_to_push_to(request.remote.as_deref())?;
        let force = match &request.theirs {
            RemoteCommits::ReplacedIfSeen => {
                PushForce::IfStillAt(self.seen_last(&repository, session, &remote, &commit)?)
            }
            RemoteCommits::ReplacedAt(text) => {
                PushForce::IfStillAt(Some(named_there(&repository, session, &remote, text)?))
            }
            RemoteCommits::Stay => PushForce::Never,
        };
        let push = Push {
            remote,
            branch: session.branch.clone(),
            commit,
            at: self.now(),
        };
        self.send(session, &repository, push, force)
    }

    /// Pushes the branch that a session landed in, as far as it landed.
    ///
    /// # Errors
    /// If the session has not landed, something works on it, there is no remote, or the remote has commits that are not here.
    pub(super) fn push_landed(
        &self,
        id: &SessionId,
        remote: Option<&str>,
    ) -> Result<PushDone, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let session = &view.session;
        let landed = require_landed(&view)?;
        let repository = self.repository_of(session)?;
        let push = Push {
            remote: repository.remote_to_push_to(remote)?,
            branch: landed.into.clone(),
            commit: landed.commit.clone(),
            at: self.now(),
        };
        let branch = push.branch.clone();
        let sent = self.send(session, &repository, push, PushForce::Never);
        sent.map_err(|error| match error {
            EngineError::Push(source) => MergeError::NotPushed {
                session: id.clone(),
                branch,
                source: Box::new(source),
            }
            .into(),
            error => error,
        })
    }

    fn send(
        &self,
        session: &Session,
        repository: &Repository,
        push: Push,
        force: PushForce,
    ) -> Result<PushDone, EngineError> {
        let (remote, commit) = (&push.remote, push.commit.short());
        let summary = format!("{commit} to {remote}/{}", push.branch);
        let draft = Draft::new(session, OperationKind::Push, Change::Lasting, summary);
        let (push, how) = self.operate(&draft, || {
            let request = PushRequest {
                branch: push.branch.clone(),
                commit: push.commit.clone(),
                remote: Some(push.remote.to_string()),
                force,
                wait: WAIT,
            };
            let pushed = repository.push(&request)?;
            self.failpoints.pass("push.sent");
            Ok((self.record_push(session, push)?, pushed.how))
        })?;
        Ok(PushDone {
            push,
            how,
            view: self.refresh(&session.id)?,
        })
    }

    /// How far a session's branch is from the same branch on its remote; `None` if no remote is known to have it.
    ///
    /// # Errors
    /// If git or the store fails.
    pub fn push_state(&self, session: &Session) -> Result<Option<PushState>, EngineError> {
        let repository = self.repository_of(session)?;
        let pushes = self.pushes(&session.id)?.into_iter();
        let pushes: Vec<_> = pushes
            .filter(|push| push.branch == session.branch)
            .collect();
        let usual = || repository.remote_to_push_to(None).ok();
        let remote = pushes
            .first()
            .map(|push| push.remote.clone())
            .or_else(usual);
        let (Some(remote), Some(head)) = (remote, repository.find_branch(&session.branch)?) else {
            return Ok(None);
        };
        let Some(commit) = repository.last_seen_on(&remote, &session.branch)? else {
            return Ok(None);
        };
        let distance = repository.ahead_behind(&head, &commit)?;
        let its = pushes.iter().find(|push| push.remote == remote);
        Ok(Some(PushState {
            pushed_at: its.map(|push| push.at),
            ahead: distance.ahead,
            behind: distance.behind,
            remote,
            commit,
        }))
    }

    /// Whether a push that was cut off is known to have reached its remote.
    pub(crate) fn settle_push(&self, operation: &Operation) -> Result<Settled, EngineError> {
        let pushes = self.pushes(&operation.session)?;
        if pushes.iter().any(|push| push.at >= operation.started_at) {
            return Ok(Settled::lasts("the remote has it".to_owned()));
        }
        let session = self.session(&operation.session)?.session;
        self.repository_of(&session)?.wait_for_pushes()?;
        Ok(Settled::unknown(
            "whether the remote has it is not known; to push again does no harm".to_owned(),
        ))
    }

    fn record_push(&self, session: &Session, push: Push) -> Result<Push, EngineError> {
        let push = Push {
            at: self.now(),
            ..push
        };
        self.write(|tx| Ok(tx.put_push(&session.id, &push)?))?;
        Ok(push)
    }

    fn pushes(&self, id: &SessionId) -> Result<Vec<Push>, EngineError> {
        self.store.read(|tx| Ok::<_, EngineError>(tx.pushes(id)?))
    }

    /// What may be replaced on a remote: what it had when it was seen last, if that was ever the session's own or is part of
    /// it now; else what was pushed last. Commits of others that somebody fetched meanwhile are neither.
    fn seen_last(
        &self,
        repository: &Repository,
        session: &Session,
        remote: &RemoteName,
        head: &CommitId,
    ) -> Result<Option<CommitId>, EngineError> {
        let pushes = self.pushes(&session.id)?;
        let is_there = |push: &&Push| push.remote == *remote && push.branch == session.branch;
        let pushed = pushes.iter().find(is_there).map(|push| push.commit.clone());
        let Some(seen) = repository.last_seen_on(remote, &session.branch)? else {
            return Ok(pushed);
        };
        let mut own = self.former_heads(session, head)?;
        own.extend(pushed.clone());
        // A commit that is not there any more contains nothing.
        let has = |commit: &CommitId| {
            let within = |own: &CommitId| repository.is_ancestor(commit, own).unwrap_or(false);
            own.iter().any(|own| own == commit || within(own))
        };
        let is_taken = || {
            let missing = repository.missing_changes(&seen, head)?;
            Ok::<_, EngineError>(missing.len() <= MOST_MISSING && missing.iter().all(has))
        };
        Ok(match has(&seen) || is_taken()? {
            true => Some(seen),
            false => pushed,
        })
    }

    /// Where the session's branch was, as far as it is recorded.
    fn former_heads(
        &self,
        session: &Session,
        head: &CommitId,
    ) -> Result<Vec<CommitId>, EngineError> {
        let mut heads = vec![head.clone()];
        for operation in self.operations(&session.id)? {
            if let Change::Branch { branch, from, to }
            | Change::Checkout { branch, from, to }
            | Change::Index {
                branch, from, to, ..
            } = operation.change
                && branch == session.branch
            {
                heads.extend([from, to]);
            }
        }
        for iteration in self.iterations(&session.id)? {
            heads.extend(
                iteration
                    .head_before
                    .into_iter()
                    .chain(iteration.head_after),
            );
        }
        Ok(heads)
    }
}

/// The commit that somebody says they have seen on a remote.
fn named_there(
    repository: &Repository,
    session: &Session,
    remote: &RemoteName,
    text: &str,
) -> Result<CommitId, EngineError> {
    if let Ok(commit) = text.parse() {
        return Ok(commit);
    }
    let place = format!("{remote}/{}", session.branch);
    let seen = repository.last_seen_on(remote, &session.branch)?;
    let named = seen.filter(|seen| text.len() >= SHORTEST && seen.as_str().starts_with(text));
    named.ok_or_else(|| EngineError::Invalid {
        problem: format!(
            "`{}` is not the commit that `{place}` was seen at",
            visible_line(text)
        ),
        way_out: Some(format!(
            "`git fetch {remote}`, look at `git log {place}`, and give the id of its newest commit"
        )),
    })
}

/// The branch of a session that stopped at a conflict is not what anybody wants to show.
fn require_settled(view: &SessionView) -> Result<(), EngineError> {
    if view.status != SessionStatus::Conflicted {
        return Ok(());
    }
    let id = &view.session.id;
    Err(EngineError::WrongState {
        session: id.clone(),
        status: view.status,
        why: "its rebase is not finished",
        way_out: format!("resolve the conflicts first: `orchestra session conflicts {id}`"),
    })
}
