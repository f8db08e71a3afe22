//! The guard: what is around a session's worktree is remembered before its agent runs and compared afterwards. What changed
//! and was not done by the engine is told, and never undone: nobody can tell an agent from a person who worked meanwhile.
//!
//! What was remembered is on disk until it was compared, so that whoever recovers after a crash compares it.

mod diff;
mod excuses;
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use orchestra_core::{
    BranchName, EventBody, GuardFinding, GuardPlace, Isolation, IsolationRecord, Iteration,
    IterationNumber, Session, SessionId, Timestamp,
};
use orchestra_git::{GitError, StashEntry, SurroundingChange, Surroundings, Worktree};
use orchestra_store::SessionFilter;
use serde::{Deserialize, Serialize};

use crate::places::OutputFiles;
use crate::{Engine, EngineError, chain};

const BEFORE: &str = "before.json";
/// More changes are counted only.
const MOST_FINDINGS: usize = 100;
/// Times of files are coarser than those of the store, by less than this.
const SLACK: Duration = Duration::from_millis(20);

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

/// A look that goes on before the agent starts.
#[derive(Debug)]
pub(crate) struct Remembering {
    since: Timestamp,
    sessions: BTreeMap<SessionId, KnownSession>,
    found: JoinHandle<Result<Surroundings, GitError>>,
    folder: PathBuf,
}

impl Remembering {
    fn keep(self) -> Result<Watch, EngineError> {
        let watch = Watch {
            since: self.since,
            sessions: self.sessions,
            surroundings: joined(self.found)?,
        };
        let text = serde_json::to_vec(&watch).map_err(|error| not_kept(error.into()))?;
        std::fs::write(self.folder.join(BEFORE), text).map_err(not_kept)?;
        Ok(watch)
    }
}

/// A look that goes on after the agent ended.
#[derive(Debug)]
pub(crate) struct Comparing {
    worktree: Worktree,
    watch: Arc<Watch>,
    folder: PathBuf,
    found: JoinHandle<Result<Vec<SurroundingChange>, GitError>>,
}

/// A session, its worktree, and what was around it.
struct Around<'a> {
    session: &'a Session,
    worktree: Worktree,
    watch: Arc<Watch>,
    folder: PathBuf,
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

    /// Begins to remember what is around a worktree, if the session wants that.
    pub(crate) fn begin_guard(
        &self,
        session: &Session,
        worktree: &Worktree,
        iteration: &mut Iteration,
    ) -> Option<Remembering> {
        let held = self.isolation_of(session);
        iteration.isolation.get_or_insert_default().held = held;
        if held != Isolation::Guard {
            return None;
        }
        let begun = self.begin_remembering(session, worktree, iteration.number);
        self.noted(begun, iteration)
    }

    fn begin_remembering(
        &self,
        session: &Session,
        worktree: &Worktree,
        number: IterationNumber,
    ) -> Result<Remembering, EngineError> {
        let folder = self.output_files(&session.id, number)?.guard;
        remove_folder(&folder).map_err(not_kept)?;
        self.create_private_dir(&folder)?;
        let now = self.now();
        let (worktree, place) = (worktree.clone(), folder.clone());
        Ok(Remembering {
            since: now.checked_sub(SLACK).unwrap_or(now),
            sessions: self.other_sessions(session)?,
            found: thread::spawn(move || worktree.remember_surroundings(&place)),
            folder,
        })
    }

    /// Waits until everything is remembered, and writes it down. What goes wrong is told with the iteration: the agent runs
    /// all the same.
    pub(crate) fn remembered(
        &self,
        remembering: Remembering,
        iteration: &mut Iteration,
    ) -> Option<Watch> {
        let kept = remembering.keep();
        self.noted(kept, iteration)
    }

    /// What came of it; a problem is noted.
    fn noted<T>(&self, done: Result<T, EngineError>, iteration: &mut Iteration) -> Option<T> {
        done.map_err(|error| {
            let record = iteration.isolation.get_or_insert_default();
            record.problem = Some(self.told(&error));
        })
        .ok()
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

    /// Begins to compare what is around a worktree with what was, while the engine goes on with what the agent did.
    pub(crate) fn begin_to_compare(
        &self,
        session: &Session,
        worktree: &Worktree,
        watch: Watch,
        number: IterationNumber,
    ) -> Result<Comparing, EngineError> {
        let folder = self.output_files(&session.id, number)?.guard;
        let passed_over = self.excuses(session, &watch)?.worktrees;
        let watch = Arc::new(watch);
        let (around, place, before) = (worktree.clone(), folder.clone(), Arc::clone(&watch));
        Ok(Comparing {
            worktree: worktree.clone(),
            watch,
            folder,
            found: thread::spawn(move || {
                around.changed_surroundings(&before.surroundings, &place, &passed_over)
            }),
        })
    }

    /// Waits for the comparison, and writes down what changed.
    pub(crate) fn end_guard(
        &self,
        session: &Session,
        comparing: Comparing,
        iteration: &mut Iteration,
    ) -> Result<(), EngineError> {
        let files = self.output_files(&session.id, iteration.number)?;
        let around = Around {
            session,
            worktree: comparing.worktree,
            watch: comparing.watch,
            folder: comparing.folder,
        };
        let told = joined(comparing.found)
            .and_then(|first| self.confirm(&around, first))
            .and_then(|changes| self.tell_changes(&around, &changes, &files));
        let findings = self.noted(told, iteration).unwrap_or_default();
        let record = iteration.isolation.get_or_insert_default();
        add(record, findings);
        if record.is_tripped() {
            let tripped = EventBody::GuardTripped {
                iteration: iteration.number,
                findings: record.findings.clone(),
            };
            self.write_stream(|tx| {
                tx.put_iteration(iteration)?;
                tx.append_event(Some(&session.id), &tripped)?;
                Ok(())
            })?;
        }
        remove_folder(&around.folder)
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
        let comparing = self.begin_to_compare(session, &worktree, watch, iteration.number)?;
        self.end_guard(session, comparing, iteration)
    }

    /// What changed and is not excused. What is there only at one of two looks was somebody's work that is over now.
    fn confirm(
        &self,
        around: &Around<'_>,
        first: Vec<SurroundingChange>,
    ) -> Result<Vec<SurroundingChange>, EngineError> {
        let first = self.without_excused(around, first)?;
        if first.is_empty() {
            return Ok(first);
        }
        let before = &around.watch.surroundings;
        let passed_over = self.excuses(around.session, &around.watch)?.worktrees;
        let worktree = &around.worktree;
        let second = worktree.changed_surroundings(before, &around.folder, &passed_over)?;
        let mut second = self.without_excused(around, second)?;
        second.retain(|change| first.contains(change));
        Ok(second)
    }

    /// The store is asked after the files: what the engine does is written down before it is done.
    fn without_excused(
        &self,
        around: &Around<'_>,
        mut changes: Vec<SurroundingChange>,
    ) -> Result<Vec<SurroundingChange>, EngineError> {
        let excuses = self.excuses(around.session, &around.watch)?;
        let own = around.worktree.head().ok();
        changes.retain_mut(|change| !excuses.excuse(change, &around.worktree, own.as_ref()));
        Ok(changes)
    }

    /// Writes down the whole difference, and takes what the agent put into the stash out of it.
    fn tell_changes(
        &self,
        around: &Around<'_>,
        changes: &[SurroundingChange],
        files: &OutputFiles,
    ) -> Result<Vec<GuardFinding>, EngineError> {
        let (session, worktree) = (around.session, &around.worktree);
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
                change => findings.push(words::finding(change, &around.watch.sessions)),
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
    if !record.left.is_empty() {
        return Some(record.left.join("; "));
    }
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

/// What a thread found.
fn joined<T>(found: JoinHandle<Result<T, GitError>>) -> Result<T, EngineError> {
    match found.join() {
        Ok(found) => Ok(found?),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn not_kept(source: std::io::Error) -> EngineError {
    EngineError::io("keep what is around the worktree", source)
}

fn remove_folder(folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
