//! Recovery: whoever looks first at a session whose lease nobody holds puts its records right. The worktree is left as
//! it is; the user chooses what becomes of it.

mod ingest;

use std::collections::BTreeSet;
use std::time::Duration;

use orchestra_core::status::{Lease, Outcome};
use orchestra_core::{BranchName, CommitId, EventBody, Iteration, Progress, Session, SessionId};
use orchestra_git::Former;
use orchestra_process::sweep_marked;
use orchestra_store::{DONE, Effect, OpenIntent, Tx};

use crate::guard;
use crate::lease::Held;
use crate::loss::is_gone;
use crate::permissions::remove_hook;
use crate::runner::status_before;
use crate::runtime::remove_equipment;
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// Somebody who only looks at a lease holds it for an instant.
const READER_PATIENCE: Duration = Duration::from_secs(1);

/// What became of an effect that was cut off, and how that is told.
pub(crate) struct Settled {
    pub(crate) end: End,
    pub(crate) what: String,
}

/// What became of an effect that was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It took place, at least in part.
    Lasts,
    /// It did not take place, or was taken back.
    Gone,
    /// It could be neither finished nor taken back, or nobody can tell.
    Unknown,
}

impl Settled {
    pub(crate) fn lasts(what: String) -> Self {
        let end = End::Lasts;
        Self { end, what }
    }

    pub(crate) fn gone(what: String) -> Self {
        let end = End::Gone;
        Self { end, what }
    }

    pub(crate) fn unknown(what: String) -> Self {
        let end = End::Unknown;
        Self { end, what }
    }
}

/// What became of a session in which something had been cut off.
#[derive(Debug)]
pub struct Recovery {
    /// The session as it was found.
    pub session: Session,
    /// What was done, or why nothing could be.
    pub done: Result<Vec<String>, EngineError>,
}

impl Engine {
    /// Puts right what a crash left of one session. Cheap when there is nothing to do. Answers what was done.
    ///
    /// # Errors
    /// If the store or git refuses.
    pub fn recover_session(&self, id: &SessionId) -> Result<Vec<String>, EngineError> {
        let mut done = self.recover_servers(id)?;
        let view = self.session(id)?;
        if !self.is_cut_off(&view)? || self.leases.state(id) != Lease::Free {
            return Ok(done);
        }
        let Some(_leases) = self.lease_to_recover(id)? else {
            return Ok(done);
        };
        self.failpoints.pass("recover.begun");
        // Somebody may have settled or finished things between the first look and the lease.
        done.extend(self.put_right(&view)?);
        Ok(done)
    }

    /// Whether anything was begun in a session and not ended.
    fn is_cut_off(&self, view: &SessionView) -> Result<bool, EngineError> {
        let id = &view.session.id;
        let iteration = view.iteration.as_ref();
        let is_unfinished = iteration.is_some_and(|it| !it.progress.is_finished());
        Ok(is_unfinished
            || !view.session.worktree_ready
            || self.workspace_of(id).is_due()
            || !self.open_intents_of(id)?.is_empty()
            || !self.unfinished_scripts_of(id)?.is_empty()
            || !self.open_operations(id)?.is_empty()
            || self.rebase_moved_on(&view.session).is_some())
    }

    /// Makes sure that only one process recovers, and only while nobody works; `None` if somebody does.
    fn lease_to_recover(&self, id: &SessionId) -> Result<Option<(Held, Held)>, EngineError> {
        let not_locked = |source| EngineError::io("lock the session", source);
        let Some(start) = self.leases.try_start(id).map_err(not_locked)? else {
            return Ok(None);
        };
        // A runner whose starter died may be about to begin: it waits, and then finds its iteration closed.
        let run = self.leases.run(id, READER_PATIENCE).map_err(not_locked)?;
        Ok(run.map(|run| (run, start)))
    }

    fn put_right(&self, view: &SessionView) -> Result<Vec<String>, EngineError> {
        let id = &view.session.id;
        let mut done = Vec::new();
        let scripts = self.close_abandoned_scripts(id)?;
        if scripts > 0 {
            done.push(format!(
                "closed {scripts} script run(s) that nothing runs any more"
            ));
        }
        // What was done to a repository that is not there now is settled when it is back.
        if !is_gone(&view.repository) {
            for intent in self.open_intents_of(id)? {
                done.push(self.settle_intent(&view.session, &intent)?);
            }
            if self.is_taken_back(id)? {
                return Ok(done);
            }
            done.extend(self.settle_operations(&view.session)?);
            done.extend(self.notice_rebase(id)?);
        }
        let latest = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.latest_iteration(id)?))?;
        match latest.filter(|iteration| !iteration.progress.is_finished()) {
            Some(iteration) => done.push(self.close_interrupted(&view.session, iteration)?),
            None => done.extend(self.fetch_forgotten(&view.session)),
        }
        self.failpoints.pass("recover.done");
        Ok(done)
    }

    /// Puts right every session in which something was begun that nobody carries any more, and ends what is left of it.
    /// An operation can have been cut off while it changed a checkout that is the user's own, so this does not wait until
    /// somebody asks for that session. Cheap when there is none: git is not asked. One that cannot be put right does not
    /// keep the others from it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn recover_interrupted(&self) -> Result<Vec<Recovery>, EngineError> {
        let (begun, servers) = self.store.read(|tx| {
            let iterations = tx.unfinished_iterations()?.into_iter();
            let scripts = tx.unfinished_script_runs()?.into_iter();
            let mut begun: BTreeSet<_> = iterations.map(|iteration| iteration.session).collect();
            let (servers, scripts) = scripts.partition::<Vec<_>, _>(|run| run.server.is_some());
            begun.extend(scripts.into_iter().map(|run| run.session));
            begun.extend(tx.sessions_with_open_operations()?);
            begun.extend(tx.open_intents()?.into_iter().map(|intent| intent.session));
            Ok::<_, EngineError>((begun, servers))
        })?;
        let is_abandoned = |id: &SessionId| self.leases.state(id) == Lease::Free;
        let mut abandoned: BTreeSet<SessionId> = begun.into_iter().filter(is_abandoned).collect();
        let servers = servers
            .into_iter()
            .filter(|run| self.lease_of(run) == Lease::Free);
        abandoned.extend(servers.map(|run| run.session));
        abandoned
            .into_iter()
            .map(|id| {
                Ok(Recovery {
                    session: self.session(&id)?.session,
                    done: self.recover_session(&id),
                })
            })
            .collect()
    }

    /// A session that could not be made has no record any more.
    fn is_taken_back(&self, id: &SessionId) -> Result<bool, EngineError> {
        let found = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.find_session(id)?))?;
        Ok(found.is_none())
    }

    /// Closes an iteration as interrupted, with a reason.
    pub(crate) fn interrupt_iteration(
        &self,
        mut iteration: Iteration,
        why: &str,
    ) -> Result<(), EngineError> {
        let before = status_before(&iteration);
        iteration.progress = Progress::Finished(Outcome::Interrupted);
        iteration.finished_at = Some(self.now());
        iteration.message = Some(why.to_owned());
        self.withdraw_questions_of(&iteration)?;
        self.close_iteration(&iteration, before)?;
        Ok(())
    }

    fn withdraw_questions_of(&self, iteration: &Iteration) -> Result<(), EngineError> {
        self.write(|tx| {
            for question in tx.open_questions(Some(&iteration.session))? {
                self.withdraw_question(tx, &question, "the turn was interrupted")?;
            }
            Ok(())
        })
    }

    fn close_interrupted(
        &self,
        session: &Session,
        mut iteration: Iteration,
    ) -> Result<String, EngineError> {
        let swept = sweep_marked(&self.marker(&session.id, &iteration.number.to_string())?);
        self.failpoints.pass("recover.swept");
        let files = self.output_files(&session.id, iteration.number)?;
        self.clean_agent_log(&files);
        remove_hook(&files);
        remove_equipment(&files);
        self.fetch_abandoned(session, &mut iteration);
        self.gather(session, &mut iteration)?;
        let note = self.note_commits(session, &mut iteration);
        if let Err(error) = self.end_abandoned_guard(session, &mut iteration) {
            tracing::warn!(code = error.code(), %error, "cannot tell what changed outside of the worktree");
        }
        let guard_note = guard::note(&session.id, iteration.isolation.as_ref());
        let number = iteration.number;
        let ended = match swept.killed {
            0 => None,
            killed => Some(format!("{killed} process(es) it had left were ended")),
        };
        let why = [Some("its runner died".to_owned()), ended, note, guard_note];
        let why = why.into_iter().flatten().collect::<Vec<_>>().join("; ");
        self.interrupt_iteration(iteration, &why)?;
        let what = format!("iteration {number} is interrupted: {why}");
        self.write_stream(|tx| note_recovered(tx, &session.id, &what))?;
        Ok(what)
    }

    /// Notes what the iteration had committed before it was cut off, as far as git can be asked. Answers what the user
    /// should know of it.
    fn note_commits(&self, session: &Session, iteration: &mut Iteration) -> Option<String> {
        let recorded = self
            .worktree_of(session)
            .and_then(|worktree| self.record_commits(session, &worktree, None, iteration));
        recorded.unwrap_or_else(|error| {
            tracing::warn!(code = error.code(), %error, "cannot ask git what the iteration committed");
            None
        })
    }

    /// What the agent had reported to the runner. The next turn continues the conversation that was cut off.
    fn gather(&self, session: &Session, iteration: &mut Iteration) -> Result<(), EngineError> {
        let reported = self.ingest_output(session, iteration);
        let Some(thread) = reported.thread.clone() else {
            return Ok(());
        };
        reported.fill_in(iteration, &self.prices());
        self.write_stream(|tx| Ok(tx.set_thread(&session.id, Some(&thread))?))
    }

    fn settle_intent(&self, session: &Session, intent: &OpenIntent) -> Result<String, EngineError> {
        let settled = match &intent.effect {
            Effect::MakeWorktree => return self.settle_worktree(session, intent),
            Effect::TakeBackWorktree => return self.settle_taking_back(session, intent),
            Effect::PublishCommit { branch, commit, .. } => {
                self.settle_commit(session, branch, commit)?
            }
            Effect::DiscardChanges { patch } => Settled::lasts(format!(
                "a discard was cut off; the changes are kept in {patch}"
            )),
            Effect::RelinkWorktree {
                common_dir,
                worktree,
            } => self.settle_relinking(
                session,
                Former {
                    common_dir,
                    worktree,
                },
            )?,
        };
        let Settled { end, what } = settled;
        let result = match end {
            End::Lasts => DONE,
            End::Gone | End::Unknown => &what,
        };
        self.write(|tx| close_settled(tx, intent, result, &what))?;
        Ok(what)
    }

    fn settle_commit(
        &self,
        session: &Session,
        branch: &BranchName,
        commit: &CommitId,
    ) -> Result<Settled, EngineError> {
        let repository = self.repository_of(session)?;
        let is_published = repository.find_branch(branch)?.is_some_and(|head| {
            head == *commit || repository.is_ancestor(commit, &head).unwrap_or(false)
        });
        let commit = commit.short();
        Ok(match is_published {
            true => Settled::lasts(format!("commit {commit} was made before the crash")),
            false => Settled::gone(format!(
                "commit {commit} did not reach the branch; its changes are in the worktree"
            )),
        })
    }

    pub(crate) fn open_intents_of(&self, id: &SessionId) -> Result<Vec<OpenIntent>, EngineError> {
        let open = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.open_intents()?))?;
        Ok(open
            .into_iter()
            .filter(|intent| &intent.session == id)
            .collect())
    }
}

/// Closes an intent that was cut off, and tells what became of it.
pub(crate) fn close_settled(
    tx: &Tx<'_>,
    intent: &OpenIntent,
    result: &str,
    what: &str,
) -> Result<(), EngineError> {
    tx.close_intent(intent.key, result)?;
    note_recovered(tx, &intent.session, what)
}

/// Tells what was put right.
pub(crate) fn note_recovered(tx: &Tx<'_>, id: &SessionId, what: &str) -> Result<(), EngineError> {
    let what = what.to_owned();
    tx.append_event(Some(id), &EventBody::Recovered { what })?;
    Ok(())
}
