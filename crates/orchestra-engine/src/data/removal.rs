//! Removal: rows first, together with the event that tells of it, then files, then the space that is left in the database
//! and its backups. What was cut off is finished by the same command again.

use std::fs;
use std::io;

use orchestra_core::data::removal_note;
use orchestra_core::{DataKind, EventBody, SessionId, SessionName};
use orchestra_store::Tx;

use super::Amount;
use crate::{Engine, EngineError, chain};

/// What was removed of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedRow {
    /// Whose it was.
    pub session: SessionId,
    /// What the session is called.
    pub name: SessionName,
    /// What it was.
    pub kind: DataKind,
    /// How much it was.
    pub amount: Amount,
}

/// What was removed, or would be.
#[derive(Debug, Clone, Default)]
pub struct Removed {
    /// By session and kind.
    pub rows: Vec<RemovedRow>,
    /// What could not be done.
    pub problems: Vec<String>,
}

impl Removed {
    /// All of it.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.rows.iter().map(|row| row.amount.bytes).sum()
    }
}

impl Engine {
    /// What would be removed of a session.
    ///
    /// # Errors
    /// If something works on it, or the store or a folder cannot be read.
    pub fn plan_removal(
        &self,
        id: &SessionId,
        kinds: &[DataKind],
    ) -> Result<Vec<RemovedRow>, EngineError> {
        let view = self.session(id)?;
        if !view.is_at_rest() {
            return Err(crate::change::busy(&view));
        }
        let mut rows = Vec::new();
        for kind in kinds {
            let amount = self.amount_of(id, *kind)?;
            rows.extend((!amount.is_empty()).then(|| RemovedRow {
                session: id.clone(),
                name: view.session.name.clone(),
                kind: *kind,
                amount,
            }));
        }
        Ok(rows)
    }

    /// Removes what was planned. What cannot be removed of one session does not keep the others from it.
    pub fn remove_data(&self, plan: Vec<RemovedRow>, why: &str) -> Removed {
        let mut removed = Removed::default();
        for row in plan {
            match self.remove_row(&row, why) {
                Ok(()) => removed.rows.push(row),
                Err(error) => {
                    let problem = format!("{}: {}", row.session, chain::text(&error));
                    removed.problems.push(problem);
                }
            }
        }
        let had_items = removed.rows.iter().any(|row| row.amount.items > 0);
        if had_items && let Err(error) = self.give_space_back() {
            removed.problems.push(format!(
                "the removed rows are still in the database file or a backup: {}",
                chain::text(&error)
            ));
        }
        removed
    }

    fn remove_row(&self, row: &RemovedRow, why: &str) -> Result<(), EngineError> {
        let id = &row.session;
        let (_lease, view) = self.take_at_rest(id)?;
        if !view.is_at_rest() {
            return Err(crate::change::busy(&view));
        }
        let now = self.now();
        let why = format!("{why} on {}", now.strftime("%Y-%m-%d"));
        self.write(|tx| {
            if row.kind == DataKind::Transcripts {
                self.remove_questions(tx, id)?;
                tx.remove_transcript(id, &removal_note(&why))?;
                tx.remove_repeated(id)?;
            }
            tx.append_event(
                Some(id),
                &EventBody::DataRemoved {
                    what: row.kind,
                    bytes: row.amount.bytes,
                    why: why.clone(),
                },
            )?;
            Ok(())
        })?;
        for file in &row.amount.files {
            match fs::remove_file(file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(EngineError::io(format!("remove {}", file.display()), error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What an agent asked before it used tools, with all that it wanted to give them. What nobody decided is withdrawn: the
    /// agent asks again if it tries again.
    fn remove_questions(&self, tx: &Tx<'_>, id: &SessionId) -> Result<(), EngineError> {
        let before = self.view_in(tx, id)?.status;
        for question in tx.open_questions(Some(id))? {
            self.withdraw_question(tx, &question, "its transcript was removed")?;
        }
        tx.remove_questions(id)?;
        self.tell_new_status(tx, id, before)
    }

    /// Deleted rows are in the file, its log and its backups until these are written anew.
    fn give_space_back(&self) -> Result<(), EngineError> {
        self.store.vacuum()?;
        self.replace_backups()
    }
}
