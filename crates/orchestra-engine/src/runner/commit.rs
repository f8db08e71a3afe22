//! Committing: what a person left before the agent ran, and what the agent did.

use orchestra_config::HumanChanges;
use orchestra_core::status::Outcome;
use orchestra_core::{CommitId, EventBody, Iteration, Progress, Session};
use orchestra_git::{CommitRequest, Prepared, TreeSnapshot, Worktree};
use orchestra_store::Effect;

use super::IterationRun;
use super::turn::TurnEnd;
use crate::{Engine, EngineError};

const SUBJECT_CHARS: usize = 64;
/// More commits than this in one iteration are not listed.
const MOST_COMMITS: usize = 1_000;

/// What the worktree held before the agent ran.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// Changes of a person that stay out of the agent's commit.
    kept_out: Option<TreeSnapshot>,
}

impl IterationRun<'_> {
    /// Changes that a person left are committed apart, or remembered so that they stay out of the agent's commit.
    pub(super) fn keep_human_changes(&self, worktree: &Worktree) -> Result<Before, EngineError> {
        if !self.iteration.commit || self.follows_unfinished_work()? {
            return Ok(Before::default());
        }
        if !worktree.status()?.is_dirty() {
            return Ok(Before::default());
        }
        match self.engine.config().git.human_changes {
            HumanChanges::Keep => Ok(Before {
                kept_out: Some(worktree.snapshot_tree()?),
            }),
            HumanChanges::Commit => {
                let message = format!(
                    "manual: changes made before iteration {}",
                    self.iteration.number
                );
                if let Some(prepared) = worktree.prepare_commit(&CommitRequest::new(message))? {
                    self.engine.publish(worktree, &self.session.id, &prepared)?;
                }
                Ok(Before::default())
            }
        }
    }

    /// Whether the last iteration left changes of the agent's own: it was cut off or told not to commit.
    fn follows_unfinished_work(&self) -> Result<bool, EngineError> {
        let earlier = self.engine.iterations(&self.session.id)?;
        let last = earlier.iter().rfind(|it| it.number < self.iteration.number);
        Ok(last.is_some_and(|last| {
            !last.commit || last.progress == Progress::Finished(Outcome::Interrupted)
        }))
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
        match require_own_branch(&self.session, worktree) {
            Err(error @ EngineError::OtherBranch { .. }) => {
                return Ok(Some(format!("{error}, so nothing was committed")));
            }
            own => own?,
        }
        let request = CommitRequest::new(self.message(end));
        let prepared = match &before.kept_out {
            Some(snapshot) => worktree.prepare_commit_since(snapshot, &request)?,
            None => worktree.prepare_commit(&request)?,
        };
        let Some(prepared) = prepared else {
            return Ok(None);
        };
        self.failpoints("commit.prepared");
        self.engine.publish(worktree, &self.session.id, &prepared)?;
        Ok(left_out_note(&prepared))
    }

    fn message(&self, end: &TurnEnd) -> String {
        let prefix = &self.engine.config().git.commit_prefix;
        let fallback = format!("iteration {}", self.iteration.number);
        let subject = subject(end.summary.as_deref().unwrap_or_default()).unwrap_or(fallback);
        let mut message = format!(
            "{prefix} {subject}\n\nSession: {} ({})\nIteration: {}",
            self.session.name, self.session.id, self.iteration.number
        );
        if let Some(thread) = &end.reported.thread {
            message.push_str("\nThread: ");
            message.push_str(thread);
        }
        message.trim().to_owned()
    }
}

/// Commits of a session go to its own branch and nowhere else.
pub(crate) fn require_own_branch(
    session: &Session,
    worktree: &Worktree,
) -> Result<(), EngineError> {
    let head = worktree.head()?;
    if head.branch() == Some(&session.branch) {
        return Ok(());
    }
    let found = head
        .branch()
        .map_or_else(|| "no branch".to_owned(), |branch| format!("`{branch}`"));
    Err(EngineError::OtherBranch {
        session: session.id.clone(),
        worktree: session.worktree.clone(),
        branch: session.branch.clone(),
        found,
    })
}

impl Engine {
    /// Records which commits an iteration made, whoever made them, and how many files they changed. Answers a note when
    /// earlier commits are gone from the branch.
    pub(crate) fn record_commits(
        &self,
        worktree: &Worktree,
        iteration: &mut Iteration,
    ) -> Result<Option<String>, EngineError> {
        iteration.head_after = worktree.head()?.commit().cloned();
        let (Some(from), Some(to)) = (&iteration.head_before, &iteration.head_after) else {
            return Ok(None);
        };
        if from == to {
            iteration.files_changed = Some(0);
            return Ok(None);
        }
        let repository = worktree.repository();
        let commits = repository.log(from, to, MOST_COMMITS)?;
        let files = repository.changes_between(from, to)?.len();
        let gone = (!repository.is_ancestor(from, to)?).then(|| gone_note(from));
        iteration.commits = commits.into_iter().rev().map(|commit| commit.id).collect();
        iteration.files_changed = u32::try_from(files).ok();
        Ok(gone)
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
                tx.close_intent(intent, if published.is_ok() { "done" } else { "refused" })?;
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

fn left_out_note(prepared: &Prepared) -> Option<String> {
    if prepared.left_out.is_empty() {
        return None;
    }
    let names: Vec<_> = prepared
        .left_out
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    Some(format!(
        "repositories inside the worktree were not committed: {}",
        names.join(", ")
    ))
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
