//! The guard: what is around a session's worktree is remembered before its agent runs and compared afterwards. What changed
//! and was not done by the engine is told, and never undone: nobody can tell an agent from a person who worked meanwhile.
//!
//! What was remembered is on disk until it was compared, so that whoever recovers after a crash compares it.

mod diff;
mod excuses;
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_core::{
    BranchName, EventBody, GuardFinding, GuardPlace, Isolation, IsolationRecord, Iteration,
    IterationNumber, Session, SessionId, Timestamp,
};
use orchestra_git::{StashEntry, SurroundingChange, Surroundings, Worktree};
use orchestra_store::SessionFilter;
use serde::{Deserialize, Serialize};

use crate::places::OutputFiles;
use crate::{Engine, EngineError, chain};

const BEFORE: &str = "before.json";
/// More changes are counted only.
const MOST_FINDINGS: usize = 100;
/// Clocks of files and of the store differ by less.
const SLACK: Duration = Duration::from_millis(100);

/// What was around a worktree before its agent ran.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Watch {
    since: Timestamp,
    surroundings: Surroundings,
    /// The other sessions of the repository.
    sessions: BTreeMap<SessionId, KnownSession>,
}

/// What belongs to another session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownSession {
    name: String,
    branch: BranchName,
    worktree: PathBuf,
}

/// What is told of one iteration, and the whole difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardReport {
    /// The iteration.
    pub iteration: IterationNumber,
    /// What held, and what changed.
    pub record: IsolationRecord,
    /// The differences as text, without secrets; empty if there are none.
    pub diff: String,
}

impl Engine {
    /// What changed outside of a session's worktree while the agent of an iteration ran; of the last one if none is named.
    ///
    /// `None` if no agent was started in it.
    ///
    /// # Errors
    /// If there is no such iteration, or what is kept cannot be read.
    pub fn guard_report(
        &self,
        id: &SessionId,
        number: Option<IterationNumber>,
    ) -> Result<Option<GuardReport>, EngineError> {
        let iteration = match number {
            Some(number) => Some(self.iteration(id, number)?),
            None => self.session(id)?.iteration,
        };
        let found = iteration.and_then(|it| Some((it.number, it.isolation?)));
        let Some((number, record)) = found else {
            return Ok(None);
        };
        let path = self.output_files(id, number)?.guard_diff;
        let diff = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(EngineError::io("read what changed", source)),
        };
        Ok(Some(GuardReport {
            iteration: number,
            record,
            diff,
        }))
    }

    /// Remembers what is around a worktree, if the session wants that. What goes wrong is told with the iteration: the agent
    /// runs all the same.
    pub(crate) fn begin_guard(
        &self,
        session: &Session,
        worktree: &Worktree,
        iteration: &mut Iteration,
    ) -> Option<Watch> {
        let held = self.isolation_of(session);
        let record = iteration.isolation.get_or_insert_default();
        record.held = held;
        if held == Isolation::None {
            return None;
        }
        let files = self.output_files(&session.id, iteration.number);
        let watch = files.and_then(|files| self.remember_surroundings(session, worktree, &files));
        match watch {
            Ok(watch) => Some(watch),
            Err(error) => {
                record.problem = Some(self.told(&error));
                None
            }
        }
    }

    fn remember_surroundings(
        &self,
        session: &Session,
        worktree: &Worktree,
        files: &OutputFiles,
    ) -> Result<Watch, EngineError> {
        let not_kept = |source| EngineError::io("keep what is around the worktree", source);
        remove_folder(&files.guard).map_err(not_kept)?;
        self.create_private_dir(&files.guard)?;
        let now = self.now();
        let watch = Watch {
            since: now.checked_sub(SLACK).unwrap_or(now),
            sessions: self.other_sessions(session)?,
            surroundings: worktree.remember_surroundings(&files.guard)?,
        };
        let text = serde_json::to_vec(&watch).map_err(|error| not_kept(error.into()))?;
        std::fs::write(files.guard.join(BEFORE), text).map_err(not_kept)?;
        Ok(watch)
    }

    fn other_sessions(
        &self,
        session: &Session,
    ) -> Result<BTreeMap<SessionId, KnownSession>, EngineError> {
        let filter = SessionFilter {
            repository: Some(session.repository),
            archived: true,
        };
        let all = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.sessions(filter)?))?;
        let others = all.into_iter().filter(|other| other.id != session.id);
        Ok(others
            .map(|other| {
                let known = KnownSession {
                    name: other.name.to_string(),
                    branch: other.branch,
                    worktree: other.worktree,
                };
                (other.id, known)
            })
            .collect())
    }

    /// Compares what is around a worktree with what was, and writes down what changed.
    pub(crate) fn end_guard(
        &self,
        session: &Session,
        worktree: &Worktree,
        watch: &Watch,
        iteration: &mut Iteration,
    ) -> Result<(), EngineError> {
        let files = self.output_files(&session.id, iteration.number)?;
        let mut record = iteration.isolation.take().unwrap_or_default();
        let told = self
            .compare(session, worktree, watch, &files)
            .and_then(|changes| self.tell_changes(session, worktree, watch, &changes, &files));
        match told {
            Ok(findings) => add(&mut record, findings),
            Err(error) => record.problem = Some(self.told(&error)),
        }
        iteration.isolation = Some(record.clone());
        if record.is_tripped() {
            let tripped = EventBody::GuardTripped {
                iteration: iteration.number,
                findings: record.findings,
            };
            self.write_stream(|tx| {
                tx.put_iteration(iteration)?;
                tx.append_event(Some(&session.id), &tripped)?;
                Ok(())
            })?;
        }
        remove_folder(&files.guard)
            .map_err(|source| EngineError::io("remove what was remembered", source))
    }

    /// The same after a crash, if an agent ran and nobody has compared since.
    pub(crate) fn end_abandoned_guard(
        &self,
        session: &Session,
        iteration: &mut Iteration,
    ) -> Result<(), EngineError> {
        let folder = self.output_files(&session.id, iteration.number)?.guard;
        let Ok(text) = std::fs::read(folder.join(BEFORE)) else {
            return Ok(());
        };
        let watch = serde_json::from_slice::<Watch>(&text);
        let watch = watch
            .map_err(|error| EngineError::io("read what was around the worktree", error.into()))?;
        let worktree = self.worktree_of(session)?;
        iteration.isolation.get_or_insert_default().held = Isolation::Guard;
        self.end_guard(session, &worktree, &watch, iteration)
    }

    /// What changed and is not excused. What is there only at one of two looks was somebody's work that is over now.
    fn compare(
        &self,
        session: &Session,
        worktree: &Worktree,
        watch: &Watch,
        files: &OutputFiles,
    ) -> Result<Vec<SurroundingChange>, EngineError> {
        let first = self.look(session, worktree, watch, &files.guard)?;
        if first.is_empty() {
            return Ok(first);
        }
        let mut second = self.look(session, worktree, watch, &files.guard)?;
        second.retain(|change| first.contains(change));
        Ok(second)
    }

    /// The store is asked after the files: what the engine does is written down before it is done.
    fn look(
        &self,
        session: &Session,
        worktree: &Worktree,
        watch: &Watch,
        folder: &Path,
    ) -> Result<Vec<SurroundingChange>, EngineError> {
        let passed_over = self.excuses(session, watch)?.worktrees;
        let mut changes =
            worktree.changed_surroundings(&watch.surroundings, folder, &passed_over)?;
        let excuses = self.excuses(session, watch)?;
        let own = worktree.head().ok();
        changes.retain_mut(|change| !excuses.excuse(change, worktree, own.as_ref()));
        Ok(changes)
    }

    /// Writes down the whole difference, and takes what the agent put into the stash out of it.
    fn tell_changes(
        &self,
        session: &Session,
        worktree: &Worktree,
        watch: &Watch,
        changes: &[SurroundingChange],
        files: &OutputFiles,
    ) -> Result<Vec<GuardFinding>, EngineError> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let diff = self.redact(&diff::text(worktree, changes));
        self.keep_diff(&files.guard_diff, &diff)?;
        let mut findings = Vec::new();
        for change in changes {
            match change {
                SurroundingChange::Stash { added, removed } => {
                    findings.extend(self.tell_stash(session, worktree, added, removed));
                }
                change => findings.push(words::finding(change, &watch.sessions)),
            }
        }
        findings.sort_by_key(|finding| finding.place);
        for finding in &mut findings {
            finding.what = self.redact(&finding.what);
        }
        Ok(findings)
    }

    fn keep_diff(&self, path: &Path, text: &str) -> Result<(), EngineError> {
        use std::io::Write;
        let file = crate::places::open_append_only(path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|source| EngineError::io("write down what changed", source))
    }

    /// What the agent stashed is kept by its own worktree, and the stash of all is as it was. What it took from there is kept
    /// too.
    fn tell_stash(
        &self,
        session: &Session,
        worktree: &Worktree,
        added: &[StashEntry],
        removed: &[StashEntry],
    ) -> Vec<GuardFinding> {
        let (own, foreign): (Vec<_>, Vec<_>) = added
            .iter()
            .cloned()
            .partition(|entry| entry.is_of(&session.branch));
        let is_kept = |entries: &[StashEntry]| {
            let kept = worktree.keep_stash(entries);
            kept.inspect_err(|error| tracing::warn!(%error, "cannot keep entries of the stash"))
                .is_ok()
        };
        let is_out =
            is_kept(&own) && (own.is_empty() || worktree.take_out_of_stash(&own).unwrap_or(false));
        let is_removed_kept = is_kept(removed);
        let own = own
            .iter()
            .map(|entry| words::stashed(entry, worktree, is_out));
        let foreign = foreign.iter().map(words::foreign_stash);
        let removed = removed
            .iter()
            .map(|entry| words::unstashed(entry, is_removed_kept));
        let told = own.chain(foreign).chain(removed);
        told.map(|what| GuardFinding {
            place: GuardPlace::Stash,
            what,
        })
        .collect()
    }

    fn told(&self, error: &EngineError) -> String {
        tracing::warn!(code = error.code(), %error, "the guard could not look at everything");
        self.redact(&chain::text(error))
    }
}

/// What is said of an iteration beside its outcome.
pub(crate) fn note(session: &SessionId, record: Option<&IsolationRecord>) -> Option<String> {
    const SHOWN: usize = 3;
    let record = record?;
    if !record.is_tripped() {
        let problem = record.problem.as_ref()?;
        return Some(format!("the guard could not look at everything: {problem}"));
    }
    let first = record.findings.iter().take(SHOWN);
    let first: Vec<_> = first.map(|finding| finding.what.as_str()).collect();
    let more = match record.count() - first.len() {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    Some(format!(
        "changed outside of the worktree while the agent ran, by it or by somebody else: {}{more}; \
         `orchestra session guard {session}` shows all",
        first.join("; ")
    ))
}

fn add(record: &mut IsolationRecord, mut findings: Vec<GuardFinding>) {
    let room = MOST_FINDINGS.saturating_sub(record.findings.len());
    let over = findings.len().saturating_sub(room);
    findings.truncate(room);
    record.findings.append(&mut findings);
    record.more += u32::try_from(over).unwrap_or(u32::MAX);
}

fn remove_folder(folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
