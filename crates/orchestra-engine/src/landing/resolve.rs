//! `resolve`: a conflict in one file is decided.

use std::path::{Path, PathBuf};

use orchestra_core::{Change, ConflictClass, Operation, OperationKind, Session, SessionId};
use orchestra_git::{ConflictedFile, Resolution, ResolveError, Snapshot, SnapshotScope, Worktree};

use super::HistoryError;
use crate::operations::{Draft, kept_apart};
use crate::recover::Settled;
use crate::script::{ScriptOrder, ScriptPlace};
use crate::view::SessionView;
use crate::{Engine, EngineError, chain};

/// What the script that writes lockfiles is called.
const INSTALL: &str = "install";

/// How a conflict is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolveHow {
    /// For the base.
    Ours,
    /// For the session.
    Theirs,
    /// As the file is now.
    Edited,
    /// By the package manager, from the base's version of its lockfile.
    Regenerate,
    /// With this content.
    Given(Vec<u8>),
    /// There is to be no such file.
    Deleted,
}

/// What becomes of the files with a conflict that an agent edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edits {
    /// Those without markers are decided.
    Decide,
    /// Nobody wants that yet.
    Leave,
}

/// A conflict that was decided.
#[derive(Debug, Clone)]
pub struct ResolveDone {
    /// The file.
    pub file: ConflictedFile,
    /// What was run to make the file again.
    pub command: Option<String>,
    /// Files that still have a conflict.
    pub left: Vec<PathBuf>,
    /// The session as it is now.
    pub view: SessionView,
}

impl Engine {
    /// Decides the conflict of one file.
    ///
    /// # Errors
    /// If the file has none, or markers are left in it; nothing is changed then. Or if the package manager fails.
    pub fn resolve(
        &self,
        id: &SessionId,
        path: &Path,
        how: &ResolveHow,
    ) -> Result<ResolveDone, EngineError> {
        let worktree = self.worktree_of(&self.session(id)?.session);
        let place = worktree.map(|worktree| place_of(&worktree, path));
        let is_decided = |error: &EngineError| {
            matches!(
                error,
                EngineError::History(HistoryError::Resolve(ResolveError::NotConflicted { .. }))
            )
        };
        self.or_finished(id, self.resolve_now(id, path, how), is_decided, |done| {
            let is_same = |place: PathBuf| done.summary == summary(&place, how);
            // Nobody wrote down which content it was.
            let is_known = !matches!(how, ResolveHow::Given(_));
            is_known && done.kind == OperationKind::Resolve && place.is_ok_and(is_same)
        })
    }

    fn resolve_now(
        &self,
        id: &SessionId,
        path: &Path,
        how: &ResolveHow,
    ) -> Result<ResolveDone, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let session = &view.session;
        super::rebase::require_conflict(session)?;
        let worktree = self.worktree_of(session)?;
        worktree.clear_stale_locks()?;
        let path = place_of(&worktree, path);
        let file = worktree
            .check_resolve(&path, first_look(how))
            .map_err(HistoryError::from)?;
        let path = file.path.clone();
        let command = match how {
            ResolveHow::Regenerate => Some(self.install_command(session, &file)?),
            ResolveHow::Ours
            | ResolveHow::Theirs
            | ResolveHow::Edited
            | ResolveHow::Given(_)
            | ResolveHow::Deleted => None,
        };
        self.decide(session, &worktree, &path, how, command.as_deref())?;
        let left = worktree.conflicts()?.into_iter().map(|file| file.path);
        Ok(ResolveDone {
            file,
            command,
            left: left.collect(),
            view: self.refresh(id)?,
        })
    }

    fn decide(
        &self,
        session: &Session,
        worktree: &Worktree,
        path: &Path,
        how: &ResolveHow,
        command: Option<&str>,
    ) -> Result<(), EngineError> {
        let kept = self.take_snapshot(session, worktree, SnapshotScope::Worktree)?;
        let draft = Draft {
            snapshot: Some(&kept),
            ..Draft::new(
                session,
                OperationKind::Resolve,
                Change::Worktree { restoring: None },
                summary(path, how),
            )
        };
        self.operate(&draft, || {
            match command {
                Some(command) => self.regenerate(session, worktree, path, command, &kept)?,
                None => worktree
                    .resolve(path, first_look(how))
                    .map_err(HistoryError::from)?,
            }
            Ok(worktree.record_left(&kept)?)
        })
    }

    /// Records what an agent did to the files since a snapshot, and decides what it left no markers in if that is wanted.
    pub(crate) fn take_edits(
        &self,
        session: &Session,
        worktree: &Worktree,
        before: &Snapshot,
        edits: Edits,
    ) -> Result<(), EngineError> {
        if worktree.is_as_kept(before)? {
            return Ok(());
        }
        let decided = match edits {
            Edits::Decide => worktree.decided_since(before).map_err(HistoryError::from)?,
            Edits::Leave => Vec::new(),
        };
        let left = worktree.conflicts()?.len() - decided.len();
        let draft = Draft {
            snapshot: Some(before),
            ..Draft::new(
                session,
                OperationKind::Resolve,
                Change::Worktree { restoring: None },
                match left {
                    0 => "every conflict resolved by the agent".to_owned(),
                    left => format!("files edited by the agent, {left} conflict(s) left"),
                },
            )
        };
        self.operate(&draft, || {
            if edits == Edits::Decide {
                let decided = worktree.resolve_changed_since(before);
                decided.map_err(HistoryError::from)?;
            }
            Ok(worktree.record_left(before)?)
        })
    }

    /// The index tells whether a conflict was decided. The file is left as it is: doing it again is harmless.
    pub(crate) fn settle_resolving(&self, session: &Session, operation: &Operation) -> Settled {
        let kept = match self.kept_for(operation) {
            Ok(kept) => kept,
            Err(error) => return Settled::unknown(chain::text(&error)),
        };
        match self.is_decided(session, &kept) {
            Ok(true) => Settled::lasts("the conflict is resolved".to_owned()),
            Ok(false) => Settled::gone("the conflict is still there".to_owned()),
            Err(error) => kept_apart(&kept, &error),
        }
    }

    fn is_decided(&self, session: &Session, kept: &Snapshot) -> Result<bool, EngineError> {
        let worktree = self.worktree_of(session)?;
        worktree.clear_stale_locks()?;
        if worktree.is_index_as_kept(kept)? {
            return Ok(false);
        }
        worktree.record_left(kept)?;
        Ok(true)
    }

    /// What writes a lockfile again: the repository's own script of that name, or what its package manager is known for.
    fn install_command(
        &self,
        session: &Session,
        file: &ConflictedFile,
    ) -> Result<String, EngineError> {
        let ConflictClass::Lockfile { manager } = file.class() else {
            return Err(HistoryError::NotALockfile {
                path: file.path.clone(),
            }
            .into());
        };
        let setting = format!("scripts.{INSTALL}");
        if let Some(own) = self.project_command(Some(session.repository), &setting)? {
            return Ok(own.about_to_run(self)?.to_owned());
        }
        let command = manager.install_command();
        let parent = file.path.parent().and_then(Path::to_str);
        Ok(match parent.filter(|parent| !parent.is_empty()) {
            Some(parent) => format!("cd {} && {command}", quoted(parent)),
            None => command.to_owned(),
        })
    }

    fn regenerate(
        &self,
        session: &Session,
        worktree: &Worktree,
        path: &Path,
        command: &str,
        kept: &Snapshot,
    ) -> Result<(), EngineError> {
        worktree.write_ours(path).map_err(HistoryError::from)?;
        self.failpoints.pass("resolve.base_written");
        let order = ScriptOrder {
            session,
            iteration: None,
            name: INSTALL,
            command,
            place: ScriptPlace::Worktree,
            limit: None,
        };
        let run = self.run_script_here(&order)?;
        if !run.finished.is_some_and(|end| end.result.passed()) {
            worktree.restore_file(kept, path)?;
            return Err(HistoryError::InstallFailed {
                path: path.to_owned(),
                command: command.to_owned(),
                log: self.script_log(&run),
            }
            .into());
        }
        worktree
            .resolve(path, Resolution::Edited)
            .map_err(HistoryError::from)?;
        Ok(())
    }
}

/// A path as git calls it. What is outside has no conflict.
fn place_of(worktree: &Worktree, path: &Path) -> PathBuf {
    worktree.path_from_top(path).unwrap_or(path.to_owned())
}

/// What has to be possible before anything is done.
fn first_look(how: &ResolveHow) -> Resolution<'_> {
    match how {
        ResolveHow::Ours | ResolveHow::Regenerate => Resolution::Ours,
        ResolveHow::Theirs => Resolution::Theirs,
        ResolveHow::Edited => Resolution::Edited,
        ResolveHow::Given(content) => Resolution::Given(Some(content)),
        ResolveHow::Deleted => Resolution::Given(None),
    }
}

fn summary(path: &Path, how: &ResolveHow) -> String {
    format!("{}: {}", path.display(), told(how))
}

fn told(how: &ResolveHow) -> &'static str {
    match how {
        ResolveHow::Ours => "the base's version taken",
        ResolveHow::Theirs => "the session's version taken",
        ResolveHow::Edited => "taken as edited",
        ResolveHow::Regenerate => "made again from the base's version",
        ResolveHow::Given(_) => "written as given",
        ResolveHow::Deleted => "deleted",
    }
}

/// One word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
