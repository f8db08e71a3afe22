//! Throwing away what an interrupted run left uncommitted, and bringing it back.

use std::path::PathBuf;

use orchestra_core::status::Outcome;
use orchestra_core::{EventBody, IterationNumber, Progress, Session, SessionId, SessionStatus};
use orchestra_git::{KeepError, KeptChanges};
use orchestra_store::{DONE, Effect};

use crate::recover::Settled;
use crate::review::require_interrupted;
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// Changes that were thrown away, and where they can be had again.
#[derive(Debug, Clone)]
pub struct Discarded {
    /// How many changes were put back or removed.
    pub files: usize,
    /// A patch of them; `None` if there was nothing to discard.
    pub patch: Option<PathBuf>,
}

impl Engine {
    /// Throws away what an interrupted run left uncommitted, after keeping all of it beside the database.
    ///
    /// # Errors
    /// If the session was not interrupted, or the changes cannot be kept; nothing is thrown away then.
    pub fn discard(&self, id: &SessionId) -> Result<Discarded, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        require_interrupted(&view)?;
        let worktree = self.worktree_of(&view.session)?;
        worktree.clear_stale_locks()?;
        let status = worktree.status()?;
        if !status.is_dirty() {
            self.settle_interruption(&view, "nothing was left uncommitted")?;
            return Ok(Discarded {
                files: 0,
                patch: None,
            });
        }
        let name = self.now().strftime("%Y%m%d-%H%M%S-%3f").to_string();
        self.create_private_dir(&self.discarded(id))?;
        let folder = self.discarded(id).join(&name);
        let kept = worktree.keep_changes(&status, &folder, &|| {
            self.failpoints.pass("discard.keeping");
        })?;
        self.failpoints.pass("discard.kept");
        let effect = Effect::DiscardChanges {
            patch: kept.patch().display().to_string(),
            kept: Some(name),
            iteration: view.iteration.as_ref().map(|iteration| iteration.number),
        };
        let intent = self.write(|tx| Ok(tx.open_intent(id, &effect)?))?;
        self.failpoints.pass("discard.intended");
        let after_file = || self.failpoints.pass("discard.dropping");
        let dropped = worktree.drop_changes(&status, &kept, &after_file);
        if let Err(KeepError::ChangedMeanwhile(_)) = dropped {
            self.write(|tx| Ok(tx.close_intent(intent, "refused")?))?;
        }
        dropped?;
        self.failpoints.pass("discard.done");
        self.write(|tx| Ok(tx.close_intent(intent, DONE)?))?;
        self.settle_interruption(&view, "its changes were discarded")?;
        self.refresh(id)?;
        Ok(Discarded {
            files: status.change_count(),
            patch: Some(kept.patch()),
        })
    }

    /// Brings back what the last discard of a session threw away.
    ///
    /// # Errors
    /// If nothing was discarded, the branch has moved since, or other changes are in the way; nothing is changed then.
    pub fn undo_discard(&self, id: &SessionId) -> Result<SessionView, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let Some(discard) = self.last_discard(id)? else {
            return Err(EngineError::WrongState {
                session: id.clone(),
                status: view.status,
                why: "nothing of it was discarded",
                way_out: format!("`orchestra session log {id}` shows what there is"),
            });
        };
        let effect = Effect::RestoreChanges {
            kept: discard.name.clone(),
        };
        let intent = self.write(|tx| Ok(tx.open_intent(id, &effect)?))?;
        self.failpoints.pass("undo.intended");
        let restored = self.put_back(&view.session, &self.kept(id, &discard.name));
        self.failpoints.pass("undo.done");
        let result = if restored.is_ok() { DONE } else { "refused" };
        self.write(|tx| Ok(tx.close_intent(intent, result)?))?;
        restored?;
        self.interrupt_again(&view, discard.iteration)?;
        self.refresh(id)
    }

    /// A discard was cut off: everything is put back, so that the user can choose again. Where that is not possible now,
    /// it can be asked for later.
    pub(crate) fn settle_discard(
        &self,
        session: &Session,
        name: &str,
        iteration: Option<IterationNumber>,
    ) -> Result<Settled, EngineError> {
        if let Some(why) = self.put_back_after_crash(session, name, iteration)? {
            return Ok(Settled::lasts(format!("a discard was cut off; {why}")));
        }
        let what = "a discard was cut off; its changes were put back";
        Ok(Settled::gone(what.to_owned()))
    }

    /// The undoing of a discard was cut off: it is finished, or can be asked for again.
    pub(crate) fn settle_undoing(
        &self,
        session: &Session,
        name: &str,
    ) -> Result<Settled, EngineError> {
        let discard = self.last_discard(&session.id)?;
        let iteration = discard.and_then(|discard| discard.iteration);
        let what = "bringing back discarded changes was cut off";
        Ok(match self.put_back_after_crash(session, name, iteration)? {
            Some(why) => Settled::gone(format!("{what}; {why}")),
            None => Settled::lasts(format!("{what}; now they are back")),
        })
    }

    /// Answers why it is not possible, if so.
    fn put_back_after_crash(
        &self,
        session: &Session,
        name: &str,
        iteration: Option<IterationNumber>,
    ) -> Result<Option<String>, EngineError> {
        let kept = self.kept(&session.id, name);
        if let Err(error) = self.put_back(session, &kept) {
            let (why, folder) = (crate::chain::text(&error), kept.folder().display());
            return Ok(Some(format!("{why}; the changes are kept in {folder}")));
        }
        self.interrupt_again(&self.session(&session.id)?, iteration)?;
        Ok(None)
    }

    fn put_back(&self, session: &Session, kept: &KeptChanges) -> Result<(), EngineError> {
        let worktree = self.worktree_of(session)?;
        worktree.clear_stale_locks()?;
        let after_file = || self.failpoints.pass("undo.restoring");
        Ok(worktree.restore_changes(kept, &after_file)?)
    }

    /// What the last discard of a session kept, unless it was before changes could be brought back.
    fn last_discard(&self, id: &SessionId) -> Result<Option<LastDiscard>, EngineError> {
        let effects = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.effects_of(id)?))?;
        Ok(effects.into_iter().rev().find_map(|effect| match effect {
            Effect::DiscardChanges {
                kept: Some(name),
                iteration,
                ..
            } => Some(LastDiscard { name, iteration }),
            _ => None,
        }))
    }

    /// Where the discarded changes of a session are kept.
    fn discarded(&self, id: &SessionId) -> PathBuf {
        self.dirs.root().join("discarded").join(id.as_str())
    }

    fn kept(&self, id: &SessionId, name: &str) -> KeptChanges {
        KeptChanges::in_folder(&self.discarded(id).join(name))
    }

    /// The work of the interrupted run is there again, so the user chooses again what becomes of it.
    fn interrupt_again(
        &self,
        view: &SessionView,
        discarded: Option<IterationNumber>,
    ) -> Result<(), EngineError> {
        let again = Progress::Finished(Outcome::Interrupted);
        let Some(iteration) = view
            .iteration
            .as_ref()
            .filter(|iteration| Some(iteration.number) == discarded && iteration.progress != again)
        else {
            return Ok(());
        };
        let mut iteration = iteration.clone();
        iteration.progress = again;
        iteration.message = Some("interrupted; its changes were brought back".to_owned());
        self.write(|tx| {
            tx.put_iteration(&iteration)?;
            let changed = EventBody::SessionStatusChanged {
                from: view.status,
                to: SessionStatus::Interrupted,
            };
            tx.append_event(Some(&view.session.id), &changed)?;
            Ok(())
        })
    }
}

/// What is recorded of a discard.
struct LastDiscard {
    /// Of the folder that has the changes.
    name: String,
    iteration: Option<IterationNumber>,
}
