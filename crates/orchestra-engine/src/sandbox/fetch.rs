//! Fetching what an agent committed in its own git directory, however its turn ended.

use orchestra_core::{Isolation, Iteration, Session};
use orchestra_git::{
    LeftElsewhere, Moved, RefMove, Workspace, WorkspaceError, WorkspaceWork, Worktree,
};
use orchestra_store::{DONE, Effect};

use crate::runtime::RuntimeError;
use crate::{Engine, EngineError, chain};

const WHY: &str = "orchestra: fetched from the workspace";
/// More branches and tags are not named.
const SHOWN_NAMES: usize = 5;

impl Engine {
    /// Brings commits over, moves the session's branch and stages what it has now, if an agent had the workspace since. Answers
    /// what stays there or was not as usual, in words.
    pub(crate) fn fetch_due(
        &self,
        session: &Session,
        worktree: &Worktree,
    ) -> Result<Vec<String>, EngineError> {
        let workspace = self.workspace_of(&session.id);
        if !workspace.is_due() {
            return Ok(Vec::new());
        }
        let work = match worktree.fetch_workspace(&workspace, &session.branch) {
            Err(error @ WorkspaceError::Rejected { .. }) => {
                return self.set_aside(&workspace, error);
            }
            work => work?,
        };
        self.failpoints.pass("fetch.fetched");
        let mut left = left_behind(&workspace, &work);
        match worktree.in_progress() {
            // A rebase of ours waits there: what the agent did to the files goes on with it, and its commits are kept.
            Some(_) => left.extend(keep_all(worktree, &work)?),
            None => left.extend(self.take_up(session, worktree, &work)?),
        }
        workspace.settle()?;
        Ok(left)
    }

    /// The same after a crash. What cannot be fetched now stays due: whoever looks next tries again.
    pub(crate) fn fetch_abandoned(&self, session: &Session, iteration: &mut Iteration) {
        if !self.workspace_of(&session.id).is_due() {
            return;
        }
        let left = self.try_to_fetch(session);
        iteration.isolation.get_or_insert_default().held = Isolation::Sandbox;
        note_left(iteration, left);
    }

    /// Fetches what stayed due when its iteration was over. Answers what came of it.
    pub(crate) fn fetch_forgotten(&self, session: &Session) -> Option<String> {
        let workspace = self.workspace_of(&session.id);
        if !workspace.is_due() || session.trash.is_some() {
            return None;
        }
        let mut told = self.try_to_fetch(session);
        if !workspace.is_due() {
            told.insert(0, "what its agent committed was fetched".to_owned());
        }
        Some(told.join("; "))
    }

    fn try_to_fetch(&self, session: &Session) -> Vec<String> {
        let fetched = self
            .worktree_of(session)
            .and_then(|worktree| self.fetch_due(session, &worktree));
        fetched.unwrap_or_else(|error| {
            tracing::warn!(code = error.code(), %error, "cannot fetch from the workspace");
            let problem = self.redact(&chain::text(&error));
            vec![format!(
                "what the agent committed is still in its workspace: {problem}"
            )]
        })
    }

    /// Refuses to part with a worktree while commits of its agent are elsewhere.
    pub(crate) fn require_fetched(&self, session: &Session) -> Result<(), EngineError> {
        let workspace = self.workspace_of(&session.id);
        match workspace.is_due() {
            true => Err(RuntimeError::Unfetched {
                session: session.id.clone(),
                workspace: workspace.git_dir(),
            }
            .into()),
            false => Ok(()),
        }
    }

    /// What git would not make is kept for a person to look at.
    fn set_aside(
        &self,
        workspace: &Workspace,
        error: WorkspaceError,
    ) -> Result<Vec<String>, EngineError> {
        let place = workspace.set_aside()?;
        let problem = self.redact(&chain::text(&EngineError::from(error)));
        Ok(vec![format!(
            "{problem}; it is kept in {}",
            place.display()
        )])
    }

    /// Moves the branch to where it is in the workspace, and leaves checked out what the agent left.
    fn take_up(
        &self,
        session: &Session,
        worktree: &Worktree,
        work: &WorkspaceWork,
    ) -> Result<Vec<String>, EngineError> {
        let (is_moved, note) = self.move_fetched(session, worktree, work)?;
        self.failpoints.pass("fetch.moved");
        let mut told: Vec<String> = note.into_iter().collect();
        let elsewhere = work.elsewhere.as_ref();
        let elsewhere = elsewhere.filter(|_| work.in_progress.is_none());
        if let Some(elsewhere) = elsewhere {
            told.push(keep(worktree, elsewhere)?);
            worktree.leave_checked_out(&elsewhere.commit)?;
        }
        if let Some(head) = worktree.head()?.commit()
            && (is_moved || elsewhere.is_some())
        {
            worktree.stage_commit(head)?;
        }
        Ok(told)
    }

    /// Moves the branch, written down before and after. One that somebody else moved is left alone, and the commits are kept.
    fn move_fetched(
        &self,
        session: &Session,
        worktree: &Worktree,
        work: &WorkspaceWork,
    ) -> Result<(bool, Option<String>), EngineError> {
        let (Some(from), Some(to)) = (&work.from, &work.to) else {
            return Ok((false, None));
        };
        if from == to {
            return Ok((false, None));
        }
        let effect = Effect::PublishCommit {
            branch: session.branch.clone(),
            parent: from.clone(),
            commit: to.clone(),
        };
        let intent = self.write(|tx| Ok(tx.open_intent(&session.id, &effect)?))?;
        let moved = worktree.move_reference(&RefMove {
            full_name: &session.branch.full_ref(),
            from: Some(from),
            to,
            why: WHY,
        })?;
        let (is_moved, note) = match moved {
            Moved::Yes => (true, None),
            // Whoever was cut off had moved it.
            Moved::Refused(Some(current)) if current == *to => (true, None),
            Moved::Refused(_) => {
                let kept = worktree.keep_fetched(to)?;
                let branch = &session.branch;
                let note = format!(
                    "`{branch}` was moved while the agent ran; its commits are kept by {kept}"
                );
                (false, Some(note))
            }
        };
        let result = if is_moved { DONE } else { "refused" };
        self.write_stream(|tx| Ok(tx.close_intent(intent, result)?))?;
        Ok((is_moved, note))
    }
}

/// Keeps commits without moving anything.
fn keep_all(worktree: &Worktree, work: &WorkspaceWork) -> Result<Vec<String>, EngineError> {
    let mut told = Vec::new();
    if let Some(to) = work.to.as_ref().filter(|_| work.is_moved()) {
        let kept = worktree.keep_fetched(to)?;
        told.push(format!(
            "the agent moved the branch; its commits are kept by {kept}"
        ));
    }
    if let Some(elsewhere) = &work.elsewhere {
        told.push(keep(worktree, elsewhere)?);
    }
    Ok(told)
}

fn keep(worktree: &Worktree, left: &LeftElsewhere) -> Result<String, EngineError> {
    let kept = worktree.keep_fetched(&left.commit)?;
    let name = left.name.as_deref().unwrap_or("no branch");
    Ok(format!(
        "the agent left `{name}` checked out; its commit is kept by {kept}"
    ))
}

fn left_behind(workspace: &Workspace, work: &WorkspaceWork) -> Vec<String> {
    let place = workspace.git_dir();
    let place = place.display();
    let others = (!work.others.is_empty()).then(|| {
        let names = orchestra_core::first_of(work.others.clone(), SHOWN_NAMES);
        format!("branches and tags that the agent made stay in its workspace ({place}): {names}")
    });
    let stashed = work
        .is_stashed
        .then(|| format!("what the agent stashed stays in its workspace ({place})"));
    others.into_iter().chain(stashed).collect()
}

/// What stays in the workspace is told with the iteration, once.
pub(crate) fn note_left(iteration: &mut Iteration, left: Vec<String>) {
    if left.is_empty() {
        return;
    }
    let record = iteration.isolation.get_or_insert_default();
    for what in left {
        if !record.left.contains(&what) {
            record.left.push(what);
        }
    }
}
