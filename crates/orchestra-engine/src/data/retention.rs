//! What is kept of sessions that are over goes after the time that the settings say; without one, it stays.

use std::time::Duration;

use orchestra_config::quantity::format_duration;
use orchestra_core::{DataKind, Session};

use super::{Removed, RemovedRow};
use crate::landing::{Gc, later};
use crate::{Engine, EngineError};

impl Engine {
    pub(crate) fn drop_old_data(&self, request: Gc) -> Result<Removed, EngineError> {
        let settings = &self.config().data;
        let wanted = [
            (DataKind::Transcripts, settings.keep_transcripts),
            (DataKind::Logs, settings.keep_logs),
        ];
        let mut dropped = Removed::default();
        for (kind, kept) in wanted {
            let Some(kept) = kept else { continue };
            let rows = self.old_rows(kind, kept)?;
            match request {
                Gc::Foretell => dropped.rows.extend(rows),
                Gc::Do => {
                    let why = format!("after {}", format_duration(kept));
                    let removed = self.remove_data(rows, &why);
                    dropped.rows.extend(removed.rows);
                    dropped.problems.extend(removed.problems);
                }
            }
        }
        Ok(dropped)
    }

    fn old_rows(&self, kind: DataKind, kept: Duration) -> Result<Vec<RemovedRow>, EngineError> {
        let now = self.now();
        let mut rows = Vec::new();
        for session in self.all_sessions()? {
            let is_old = ended_at(&session).is_some_and(|ended| later(ended, kept) <= now);
            if is_old && self.session(&session.id)?.is_at_rest() {
                rows.extend(self.plan_removal(&session.id, &[kind])?);
            }
        }
        Ok(rows)
    }
}

/// When a session was over: put away, landed or cleaned up, and not used since.
fn ended_at(session: &Session) -> Option<orchestra_core::Timestamp> {
    let landed = session.landed.as_ref().map(|landed| landed.at);
    let ended = session.archived_at.or(landed);
    let is_over = ended.is_some() || session.trash.is_some();
    let used = session.last_run.unwrap_or(session.created_at);
    is_over.then(|| ended.map_or(used, |ended| ended.max(used)))
}
