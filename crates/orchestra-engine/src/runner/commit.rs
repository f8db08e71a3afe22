//! Committing: what a person left before the agent ran, and what the agent did.

use std::collections::BTreeSet;
use std::path::PathBuf;

use orchestra_config::HumanChanges;
use orchestra_core::status::Outcome;
use orchestra_core::{
    Change, CommitId, EventBody, FailureCause, Iteration, OffBranch, OperationKind, OperationState,
    Progress, Session, and_more, visible_line,
};
use orchestra_git::{
    CommitError, CommitRequest, DiffScope, InProgress, Prepared, RememberedFiles, Worktree,
};
use orchestra_store::{DONE, Effect};

use super::IterationRun;
use super::prompt::quoted;
use super::turn::TurnEnd;
use crate::landing::HistoryError;
use crate::{Engine, EngineError};

const SUBJECT_CHARS: usize = 64;
/// More commits than this in one iteration are not listed.
const MOST_COMMITS: usize = 1_000;
/// More files than this are not named in a commit message.
const MOST_NAMES: usize = 20;
/// More paths than this are not named one by one on a line.
const SHOWN_PATHS: usize = 10;
const LEFT_OVER: &str =
    "What was uncommitted before this iteration is part of this commit, whoever changed it.";

/// What was uncommitted in the worktree before the agent ran.
#[derive(Debug)]
pub(super) enum Before {
    /// Nothing, or nothing that matters.
    Clean,
    /// What an earlier run left, and perhaps a person; it becomes part of this commit.
    LeftOver,
    /// Changes of a person that stay out of the agent's commit.
    KeptOut {
        snapshot: RememberedFiles,
        paths: BTreeSet<PathBuf>,
    },
    /// Something, and nothing will be committed: the agent's changes are counted from here.
    Remembered(RememberedFiles),
}

impl Before {
    /// The files as they were, where some had uncommitted changes that are not the agent's.
    pub(super) fn snapshot(&self) -> Option<&RememberedFiles> {
        match self {
            Self::Clean | Self::LeftOver => None,
            Self::KeptOut { snapshot, .. } | Self::Remembered(snapshot) => Some(snapshot),
        }
    }

    /// The files with changes that stay out.
    pub(super) fn kept_out_names(&self) -> Vec<String> {
        match self {
            Self::Clean | Self::LeftOver | Self::Remembered(_) => Vec::new(),
            Self::KeptOut { paths, .. } => paths.iter().map(|path| quoted(path)).collect(),
        }
    }

    /// Files a person had changed and the agent has changed too, which cannot be told apart any more.
    fn mixed(&self, worktree: &Worktree) -> Result<BTreeSet<PathBuf>, EngineError> {
        match self {
            Self::Clean | Self::LeftOver | Self::Remembered(_) => Ok(BTreeSet::new()),
            Self::KeptOut { snapshot, paths } => {
                let changes = worktree.changes_since(snapshot)?;
                let changed = changes
                    .into_iter()
                    .flat_map(|change| [Some(change.path), change.original])
                    .flatten();
                Ok(changed.filter(|path| paths.contains(path)).collect())
            }
        }
    }
}

impl IterationRun<'_> {
    /// Changes that a person left are committed apart, or remembered so that they stay out of the agent's commit.
    pub(super) fn keep_human_changes(&self, worktree: &Worktree) -> Result<Before, EngineError> {
        let status = worktree.status()?;
        if !status.is_dirty() {
            return Ok(Before::Clean);
        }
        if !self.iteration.commit {
            return Ok(Before::Remembered(worktree.remember_files()?));
        }
        if self.follows_unfinished_work(worktree)? {
            return Ok(Before::LeftOver);
        }
        match self.engine.config().git.human_changes {
            HumanChanges::Keep => Ok(Before::KeptOut {
                snapshot: worktree.remember_files()?,
                paths: status.paths(),
            }),
            HumanChanges::Commit => {
                let message = format!(
                    "manual: changes made before iteration {}",
                    self.iteration.number
                );
                if let Some(prepared) = worktree.prepare_commit(&CommitRequest::new(message))? {
                    self.engine.publish(worktree, &self.session.id, &prepared)?;
                }
                Ok(Before::Clean)
            }
        }
    }

    /// Whether the last iteration left changes of the agent's own: it was told not to commit, was cut off, left the branch,
    /// or could not commit. Once somebody has moved the branch on, what is uncommitted came after that, unless they
    /// committed only a part.
    fn follows_unfinished_work(&self, worktree: &Worktree) -> Result<bool, EngineError> {
        let earlier = self.engine.iterations(&self.session.id)?;
        // One that never came to its agent changed nothing.
        let began = |it: &&Iteration| it.number < self.iteration.number && it.head_before.is_some();
        let Some(last) = earlier.iter().rfind(began) else {
            return Ok(false);
        };
        let left_at = last.head_after.clone().or(last.head_before.clone());
        let left_at = self.after_partial_commits(left_at)?;
        let cut_off = [Outcome::Interrupted, Outcome::Failed(FailureCause::Engine)];
        let is_unfinished = !last.commit
            || last.off_branch.is_some()
            || cut_off.map(Progress::Finished).contains(&last.progress);
        Ok(is_unfinished && worktree.head()?.commit() == left_at.as_ref())
    }

    /// Where the branch is after commits that left something uncommitted, one after the other.
    fn after_partial_commits(
        &self,
        from: Option<CommitId>,
    ) -> Result<Option<CommitId>, EngineError> {
        let mut at = from;
        for operation in self.engine.operations(&self.session.id)? {
            let Change::Index { from, to, .. } = &operation.change else {
                continue;
            };
            let lasts = operation.state == OperationState::Done;
            let is_next = operation.kind == OperationKind::Commit && at.as_ref() == Some(from);
            let kept = operation.snapshot.as_ref();
            let kept = kept.map(|name| self.engine.snapshot(&self.session.id, name));
            if lasts && is_next && kept.is_some_and(|kept| kept.has_uncommitted()) {
                at = Some(to.clone());
            }
        }
        Ok(at)
    }

    /// Commits what the agent did. Answers a note when something kept it from being committed as usual.
    pub(super) fn commit_work(
        &self,
        worktree: &Worktree,
        before: &Before,
        end: &TurnEnd,
    ) -> Result<Option<String>, EngineError> {
        if !self.iteration.commit {
            return Ok(None);
        }
        match self.engine.require_own_branch(&self.session, worktree) {
            // Recorded with what git has there.
            Err(EngineError::OtherBranch { .. } | EngineError::BranchGone { .. }) => {
                return Ok(None);
            }
            own => own?,
        }
        let mixed = before.mixed(worktree)?;
        let remark = match before {
            Before::LeftOver => Some(LEFT_OVER.to_owned()),
            Before::Clean | Before::KeptOut { .. } | Before::Remembered(_) => mixed_remark(&mixed),
        };
        let request = CommitRequest::new(self.message(end, remark.as_deref()));
        let prepared = match before {
            Before::KeptOut { snapshot, .. } => {
                worktree.prepare_commit_since(snapshot, &request)?
            }
            Before::Clean | Before::LeftOver | Before::Remembered(_) => {
                worktree.prepare_commit(&request)?
            }
        };
        let taken = self.taken_by_agent(worktree, before)?;
        let Some(prepared) = prepared else {
            // What a person left stays as it was; work in a repository of its own was done, and nobody would see it.
            let nested = worktree.status()?.nested();
            return Ok(joined([uncommitted_note(&nested), along_note(&taken)]));
        };
        self.failpoints("commit.prepared");
        self.engine.publish(worktree, &self.session.id, &prepared)?;
        let along = mixed.union(&taken).cloned().collect();
        let stayed = worktree.status()?.uncommitted();
        Ok(joined([uncommitted_note(&stayed), along_note(&along)]))
    }

    /// Files a person had changed that are in commits the agent made itself.
    fn taken_by_agent(
        &self,
        worktree: &Worktree,
        before: &Before,
    ) -> Result<BTreeSet<PathBuf>, EngineError> {
        let head = worktree.head()?;
        let (Before::KeptOut { paths, .. }, Some(from), Some(to)) =
            (before, &self.iteration.head_before, head.commit())
        else {
            return Ok(BTreeSet::new());
        };
        let changes = worktree.repository().changes_between(from, to)?;
        let changed = changes.into_iter().map(|change| change.path);
        Ok(changed.filter(|path| paths.contains(path)).collect())
    }

    fn message(&self, end: &TurnEnd, remark: Option<&str>) -> String {
        let prefix = &self.engine.config().git.commit_prefix;
        let fallback = format!("iteration {}", self.iteration.number);
        let said = match end.outcome {
            // What it asks is not what it did.
            Outcome::AwaitingInput => Some(self.session.prompt.as_str()),
            _ => end.summary.as_deref(),
        };
        let subject = subject(said.unwrap_or_default()).unwrap_or(fallback);
        let remark = remark.map(|text| format!("{text}\n\n"));
        let mut message = format!(
            "{prefix} {subject}\n\n{}Session: {} ({})\nIteration: {}",
            remark.unwrap_or_default(),
            self.session.name,
            self.session.id,
            self.iteration.number
        );
        if let Some(thread) = &end.reported.thread {
            message.push_str("\nThread: ");
            message.push_str(thread);
        }
        message.trim().to_owned()
    }
}

impl Engine {
    /// Commits of a session go to its own branch, and git must not wait for somebody there.
    pub(crate) fn require_own_branch(
        &self,
        session: &Session,
        worktree: &Worktree,
    ) -> Result<(), EngineError> {
        self.require_nothing_in_progress(session, worktree)?;
        self.require_checked_out(session, worktree)
    }

    /// git must not be in the middle of something that moves branches.
    pub(crate) fn require_nothing_in_progress(
        &self,
        session: &Session,
        worktree: &Worktree,
    ) -> Result<(), EngineError> {
        if session.rebase.is_some() {
            let session = session.id.clone();
            return Err(HistoryError::Conflicted { session }.into());
        }
        match worktree.in_progress() {
            None | Some(InProgress::Bisect) => Ok(()),
            Some(operation) => Err(CommitError::OperationInProgress(operation).into()),
        }
    }

    /// Records what an iteration left in git, whoever did it: commits on the session's branch, how many files differ, and
    /// whether another branch is checked out. Answers a note when earlier commits are gone or the branch was left.
    pub(crate) fn record_commits(
        &self,
        session: &Session,
        worktree: &Worktree,
        before: Option<&RememberedFiles>,
        iteration: &mut Iteration,
    ) -> Result<Option<String>, EngineError> {
        let head = worktree.head()?;
        iteration.head_after = head.commit().cloned();
        let (Some(from), Some(to)) = (iteration.head_before.clone(), head.commit()) else {
            return Ok(None);
        };
        if session.rebase.is_some() {
            // git stands between the commits of a rebase, and none of them is on the branch yet.
            let files = files_since(worktree, &from, before)?;
            iteration.files_changed = u32::try_from(files).ok();
            return Ok(None);
        }
        let is_own = head.branch() == Some(&session.branch);
        let files = if iteration.commit && is_own {
            worktree.repository().changes_between(&from, to)?.len()
        } else {
            files_since(worktree, &from, before)?
        };
        iteration.files_changed = u32::try_from(files).ok();
        if is_own {
            iteration.commits = commits_between(worktree, &from, to)?;
            let is_gone = !worktree.repository().is_ancestor(&from, to)?;
            return Ok(is_gone.then(|| gone_note(&from)));
        }
        let (commits, off_commits) = commits_off_branch(session, worktree, &from, to)?;
        iteration.commits = commits;
        let off = OffBranch {
            branch: head.branch().cloned(),
            commits: u32::try_from(off_commits.len()).unwrap_or(u32::MAX),
        };
        let note = off_note(session, &off);
        iteration.off_branch = Some(off);
        Ok(Some(note))
    }

    /// Moves the branch to a prepared commit, written down before and after.
    pub(crate) fn publish(
        &self,
        worktree: &Worktree,
        session: &orchestra_core::SessionId,
        prepared: &Prepared,
    ) -> Result<(), EngineError> {
        let intent = match &prepared.branch {
            Some(branch) => {
                let effect = Effect::PublishCommit {
                    branch: branch.clone(),
                    parent: prepared.parent.clone(),
                    commit: prepared.commit.clone(),
                };
                Some(self.write_stream(|tx| Ok(tx.open_intent(session, &effect)?))?)
            }
            None => None,
        };
        self.failpoints.pass("commit.intended");
        let published = worktree.publish_commit(prepared);
        self.failpoints.pass("commit.published");
        self.write_stream(|tx| {
            if let Some(intent) = intent {
                tx.close_intent(intent, if published.is_ok() { DONE } else { "refused" })?;
            }
            if published.is_ok() {
                let body = EventBody::CommitCreated {
                    commit: prepared.commit.clone(),
                    subject: self.redact(&prepared.subject),
                };
                tx.append_event(Some(session), &body)?;
            }
            Ok(())
        })?;
        Ok(published?)
    }
}

/// How many files differ from before, committed or not. What a person had left uncommitted does not count, where it is known.
fn files_since(
    worktree: &Worktree,
    from: &CommitId,
    before: Option<&RememberedFiles>,
) -> Result<usize, EngineError> {
    let changes = match before {
        Some(before) => worktree.changes_since(before)?,
        None => worktree.diff_summary(&DiffScope::Since(from.clone()))?,
    };
    Ok(changes.len())
}

/// New commits of the session's branch, and those that only what is checked out has: just the first are the session's.
fn commits_off_branch(
    session: &Session,
    worktree: &Worktree,
    from: &CommitId,
    to: &CommitId,
) -> Result<(Vec<CommitId>, Vec<CommitId>), EngineError> {
    let repository = worktree.repository();
    let Some(tip) = repository.find_branch(&session.branch)? else {
        return Ok((Vec::new(), commits_between(worktree, from, to)?));
    };
    let own = if repository.is_ancestor(from, &tip)? {
        commits_between(worktree, from, &tip)?
    } else {
        Vec::new()
    };
    Ok((own, commits_between(worktree, &tip, to)?))
}

/// Commits that one has and the other has not, oldest first.
fn commits_between(
    worktree: &Worktree,
    from: &CommitId,
    to: &CommitId,
) -> Result<Vec<CommitId>, EngineError> {
    if from == to {
        return Ok(Vec::new());
    }
    let commits = worktree.repository().log(from, to, MOST_COMMITS)?;
    Ok(commits.into_iter().rev().map(|commit| commit.id).collect())
}

fn off_note(session: &Session, off: &OffBranch) -> String {
    let found = off
        .branch
        .as_ref()
        .map_or_else(|| "no branch".to_owned(), |branch| format!("`{branch}`"));
    let there = match off.commits {
        0 => "nothing was committed".to_owned(),
        count => format!("{count} commit(s) there are not on the session's branch"),
    };
    let own = &session.branch;
    format!("the agent left {found} checked out instead of `{own}`; {there}")
}

/// The first sentence that says something, cut to the length of a subject.
fn subject(text: &str) -> Option<String> {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| line.chars().any(char::is_alphanumeric))?;
    let line = line
        .trim_start_matches(['#', '*', '-', '>', ' '])
        .trim_end_matches(['.', '*', ':', ' ']);
    let line = line.strip_prefix("Done: ").unwrap_or(line);
    let sentence = line.split_once(". ").map_or(line, |(first, _)| first);
    if sentence.chars().count() <= SUBJECT_CHARS {
        return Some(sentence.to_owned());
    }
    let cut: String = sentence.chars().take(SUBJECT_CHARS - 1).collect();
    let whole_words = cut
        .rsplit_once(' ')
        .map_or(cut.as_str(), |(words, _)| words);
    Some(format!("{whole_words}\u{2026}"))
}

fn gone_note(commit: &CommitId) -> String {
    let short = commit.short();
    format!("commit {short} is no longer on the branch; `git branch <name> {short}` keeps it")
}

/// Says in the commit which files hold more than the agent's work.
fn mixed_remark(mixed: &BTreeSet<PathBuf>) -> Option<String> {
    if mixed.is_empty() {
        return None;
    }
    let mut text = "These files also hold changes a person had made before:".to_owned();
    for name in names(mixed).iter().take(MOST_NAMES) {
        text.push_str("\n  ");
        text.push_str(name);
    }
    if let Some(more) = and_more(mixed.len(), MOST_NAMES) {
        text.push_str(&format!("\n  {more}"));
    }
    Some(text)
}

fn along_note(along: &BTreeSet<PathBuf>) -> Option<String> {
    if along.is_empty() {
        return None;
    }
    let first = first_of(along, 1);
    Some(format!(
        "your own changes were committed with the agent's: {first}"
    ))
}

fn joined(notes: [Option<String>; 2]) -> Option<String> {
    let notes: Vec<_> = notes.into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// Paths as text for one line each.
fn names<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Vec<String> {
    let shown = |path: &PathBuf| visible_line(&path.display().to_string());
    paths.into_iter().map(shown).collect()
}

/// The first few paths in one line, and how many more there are.
pub(super) fn first_of<'a>(paths: impl IntoIterator<Item = &'a PathBuf>, most: usize) -> String {
    orchestra_core::first_of(names(paths), most)
}

/// Names what a commit did not take: changes a person had left before, repositories inside the worktree.
fn uncommitted_note(paths: &[PathBuf]) -> Option<String> {
    if paths.is_empty() {
        return None;
    }
    let first = first_of(paths, SHOWN_PATHS);
    Some(format!("not committed: {first}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_short_and_say_something() {
        let cases = [
            (
                "Done: hello.txt now greets amp.",
                Some("hello.txt now greets amp"),
            ),
            (
                "\n---\n## Added a parser. It handles all cases.\n",
                Some("Added a parser"),
            ),
            ("**Fixed it**", Some("Fixed it")),
            ("...", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(subject(text).as_deref(), expected, "{text}");
        }
        let long = subject(&"many words ".repeat(20)).unwrap();
        assert!(
            long.chars().count() <= SUBJECT_CHARS && long.ends_with('\u{2026}'),
            "{long}"
        );
    }
}
