//! The trash, as people see it: what lies there, bringing it back, deleting it for good.

mod passage;

use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_core::{
    Change, EventBody, Operation, OperationKind, Repository, RepositoryId, Session, SessionId,
    Timestamp, TrashName, next_undo,
};
use orchestra_git::{RestoreRequest, TrashEntry, TrashError, disk_use};

use crate::view::SessionView;
use crate::{Engine, EngineError, chain};

pub use passage::Passage;

/// How long one entry may take to be counted.
const COUNTING: Duration = Duration::from_secs(10);

/// A worktree in the trash.
#[derive(Debug, Clone)]
pub struct TrashRow {
    /// The repository it belongs to.
    pub repository: Repository,
    /// What lies there.
    pub entry: TrashEntry,
    /// Whether the session that it belongs to is still known.
    pub has_session: bool,
    /// The space that would be free without it; `None` if it could not be counted completely.
    pub bytes: Option<u64>,
    /// When `gc` deletes it.
    pub kept_until: Timestamp,
}

/// What came back from the trash.
#[derive(Debug, Clone)]
pub struct RestoredSession {
    /// The session, if it is known.
    pub view: Option<SessionView>,
    /// Where the worktree is again.
    pub path: PathBuf,
    /// What became of its branches.
    pub passage: Passage,
}

/// What was deleted for good.
#[derive(Debug, Clone, Default)]
pub struct Emptied {
    /// The worktrees.
    pub deleted: Vec<TrashRow>,
    /// What could not be deleted, and why.
    pub problems: Vec<String>,
}

impl Emptied {
    /// The space that is free now, as far as it was counted.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.deleted.iter().filter_map(|row| row.bytes).sum()
    }
}

impl Engine {
    /// What lies in the trash of one repository or of all, oldest first, and folders there that cannot be read.
    ///
    /// # Errors
    /// If the store or a trash cannot be read. A repository that is gone has none.
    pub fn trash(
        &self,
        repository: Option<RepositoryId>,
    ) -> Result<(Vec<TrashRow>, Vec<PathBuf>), EngineError> {
        let (mut rows, mut damaged) = (Vec::new(), Vec::new());
        for recorded in self.recorded_repositories()? {
            if repository.is_some_and(|wanted| wanted != recorded.id) || !recorded.root.exists() {
                continue;
            }
            let listing = self.open_recorded(&recorded.root)?.trash_entries()?;
            damaged.extend(listing.damaged);
            for entry in listing.entries {
                rows.push(self.trash_row(&recorded, entry)?);
            }
        }
        rows.sort_by_key(|row| row.entry.record.trashed_at);
        Ok((rows, damaged))
    }

    /// Brings back the worktree of a session, or an entry of the trash by its name.
    ///
    /// # Errors
    /// If there is no such thing in the trash, or its place or branch is taken; nothing is changed then.
    pub fn restore(
        &self,
        text: &str,
        here: Option<&Repository>,
    ) -> Result<RestoredSession, EngineError> {
        let (rows, _) = self.trash(None)?;
        let named = rows.iter().find(|row| row.entry.name.as_str() == text);
        let id = match named {
            Some(row) if !row.has_session => return self.restore_alone(row),
            Some(row) => row.entry.record.session.clone(),
            None => self.find_session(text, here)?.session.id,
        };
        let (view, passage) = self.restore_session(&id)?;
        Ok(RestoredSession {
            path: view.session.worktree.clone(),
            view: Some(view),
            passage,
        })
    }

    /// Deletes entries for good. One that cannot be deleted does not keep the others from it.
    pub fn empty_trash(&self, rows: Vec<TrashRow>) -> Emptied {
        let mut emptied = Emptied::default();
        for row in rows {
            match self.delete_entry(&row) {
                Ok(()) => emptied.deleted.push(row),
                Err(error) => {
                    let problem = format!("{}: {}", row.entry.name, chain::text(&error));
                    emptied.problems.push(problem);
                }
            }
        }
        emptied
    }

    /// Records that worktrees are deleted for good whose entries are gone.
    pub(crate) fn note_deleted(&self, repository: &Repository) -> Result<(), EngineError> {
        let opened = self.open_recorded(&repository.root)?;
        for session in self.sessions_in(repository.id)? {
            let Some(entry) = &session.trash else {
                continue;
            };
            if session.worktree_deleted_at.is_none() && opened.find_in_trash(entry)?.is_none() {
                let (_lease, view) = self.take_at_rest(&session.id)?;
                if view.session.trash.as_ref() == Some(entry) {
                    self.record_deleted(&session.id)?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn recorded_repositories(&self) -> Result<Vec<Repository>, EngineError> {
        self.store
            .read(|tx| Ok::<_, EngineError>(tx.repositories()?))
    }

    fn trash_row(
        &self,
        repository: &Repository,
        entry: TrashEntry,
    ) -> Result<TrashRow, EngineError> {
        let id = &entry.record.session;
        let session = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.find_session(id)?))?;
        let is_its = |session: Session| session.trash.as_ref() == Some(&entry.name);
        Ok(TrashRow {
            repository: repository.clone(),
            has_session: session.is_some_and(is_its),
            bytes: entry.directory.as_deref().map_or(Some(0), counted),
            kept_until: later(entry.record.trashed_at, self.config().git.trash_retention),
            entry,
        })
    }

    fn restore_session(&self, id: &SessionId) -> Result<(SessionView, Passage), EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let Some(entry) = &view.session.trash else {
            if self.hear_of(id, is_restoring)?.is_some() {
                return Ok((self.refresh(id)?, Passage::default()));
            }
            return Err(EngineError::WrongState {
                session: id.clone(),
                status: view.status,
                why: "its worktree is not in the trash",
                way_out: "`orchestra trash list` shows what is".to_owned(),
            });
        };
        require_not_deleted(&view.session)?;
        let mut passage = self.take_back_from_trash(&view, entry)?;
        // A branch that was deleted later came first; the worktree follows.
        if self.session(id)?.session.trash.is_some() {
            let worktree = self.take_back_from_trash(&view, entry)?;
            passage.restored.extend(worktree.restored);
        }
        Ok((self.refresh(id)?, passage))
    }

    /// Undoes the newest operation of a session that is about its entry in the trash, whatever was done since: only the worktree
    /// and its branch are concerned.
    fn take_back_from_trash(
        &self,
        view: &SessionView,
        entry: &TrashName,
    ) -> Result<Passage, EngineError> {
        let mut operations = self.operations(&view.session.id)?;
        operations.retain(|operation| operation.change.trash_entry() == Some(entry));
        let Some(newest) = next_undo(&operations) else {
            return Err(TrashError::NoSuchEntry(entry.clone()).into());
        };
        Ok(self.invert(view, newest, OperationKind::Undo)?.passage)
    }

    /// An entry whose session is not known any more.
    fn restore_alone(&self, row: &TrashRow) -> Result<RestoredSession, EngineError> {
        let repository = self.open_recorded(&row.repository.root)?;
        let request = RestoreRequest {
            name: &row.entry.name,
            home: None,
            deleted: None,
        };
        let restored = repository.restore_from_trash(&request, &|_| {})?;
        Ok(RestoredSession {
            view: None,
            path: restored.path.clone(),
            passage: restored.into(),
        })
    }

    fn delete_entry(&self, row: &TrashRow) -> Result<(), EngineError> {
        let repository = self.open_recorded(&row.repository.root)?;
        let id = &row.entry.record.session;
        if !row.has_session {
            return Ok(repository.delete_from_trash(&row.entry.name)?);
        }
        let (_lease, view) = self.take_at_rest(id)?;
        if view.session.trash.as_ref() != Some(&row.entry.name) {
            return Err(TrashError::NoSuchEntry(row.entry.name.clone()).into());
        }
        repository.delete_from_trash(&row.entry.name)?;
        self.failpoints.pass("trash.deleted");
        self.record_deleted(id)
    }

    fn record_deleted(&self, id: &SessionId) -> Result<(), EngineError> {
        self.write(|tx| {
            tx.set_worktree_deleted(id)?;
            let is_trash = |it: &Operation| it.change.trash_entry().is_some();
            for operation in tx.operations(id)?.into_iter().filter(is_trash) {
                tx.set_operation_lasting(operation.key)?;
            }
            tx.forget_disk_use(id)?;
            tx.append_event(Some(id), &EventBody::WorktreeDeleted)?;
            Ok(())
        })?;
        self.failpoints.pass("trash.recorded");
        self.let_cache_go(id);
        self.let_toolbox_go(id);
        self.let_workspace_go(id);
        Ok(())
    }
}

/// Whether an operation brought a worktree back.
fn is_restoring(operation: &Operation) -> bool {
    matches!(operation.change, Change::Trash { into: false, .. })
}

/// Refuses what needs the worktree of a session that has none any more.
pub(crate) fn require_not_in_trash(session: &Session) -> Result<(), EngineError> {
    if session.trash.is_none() {
        return Ok(());
    }
    Err(EngineError::InTrash {
        session: session.id.clone(),
        branch: session.branch.clone(),
        is_deleted: session.worktree_deleted_at.is_some(),
    })
}

/// Refuses what needs the worktree of a session that was deleted for good.
pub(super) fn require_not_deleted(session: &Session) -> Result<(), EngineError> {
    match session.worktree_deleted_at {
        Some(_) => require_not_in_trash(session),
        None => Ok(()),
    }
}

/// A moment so much later; the end of time if it is beyond that.
pub(crate) fn later(at: Timestamp, by: Duration) -> Timestamp {
    at.checked_add(by).unwrap_or(Timestamp::MAX)
}

/// The space a directory takes, if it can be told.
pub(super) fn counted(directory: &Path) -> Option<u64> {
    let counted = disk_use(directory, COUNTING).ok()?;
    counted.is_complete.then_some(counted.own_bytes)
}
