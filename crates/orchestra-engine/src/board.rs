//! Refreshing what git says about many sessions with a fixed number of git processes per repository.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use orchestra_core::{
    BranchName, GitFacts, LandedFact, OtherCheckout, RepositoryId, Session, SessionId, Timestamp,
};
use orchestra_git::{BoardQuery, BoardRow, Repository};

use crate::checkout::{checkouts, other_checkout};
use crate::landing::still_landed::{Question, look};
use crate::view::SessionView;
use crate::{Engine, EngineError};

impl Engine {
    /// Asks git for heads, distances and what is checked out of the given sessions, a fixed number of processes per
    /// repository, and remembers the answers. Whether directories are dirty is not asked; see [`Engine::refresh_dirty`].
    ///
    /// # Errors
    /// If the store fails. A repository that cannot be asked leaves its sessions as they were.
    pub fn refresh_heads(&self, sessions: &mut [SessionView]) -> Result<(), EngineError> {
        self.notice_rebases(sessions);
        let mut by_repository: BTreeMap<RepositoryId, Vec<usize>> = BTreeMap::new();
        for (index, view) in sessions.iter().enumerate() {
            by_repository
                .entry(view.repository.id)
                .or_default()
                .push(index);
        }
        for indexes in by_repository.into_values() {
            let queries: Vec<BoardQuery> = indexes
                .iter()
                .map(|index| board_query(&sessions[*index].session))
                .collect();
            let root = sessions[indexes[0]].repository.root.clone();
            match self
                .git()?
                .open(&root)
                .map_err(EngineError::from)
                .and_then(|repository| Ok((repository.board(&queries)?, repository)))
            {
                Ok((rows, repository)) => {
                    self.take_rows(sessions, &indexes, rows, &repository);
                    take_landed(sessions, &indexes, &repository);
                }
                Err(error) => {
                    tracing::warn!(code = error.code(), %error, root = %root.display(), "cannot ask git")
                }
            }
        }
        self.remember(sessions)
    }

    /// A rebase that waits can be finished with git by anybody. A session that cannot be looked at stays as it was.
    fn notice_rebases(&self, sessions: &mut [SessionView]) {
        for view in sessions.iter_mut() {
            if self.rebase_moved_on(&view.session).is_none() {
                continue;
            }
            let id = view.session.id.clone();
            match self.recover_session(&id).and_then(|_| self.session(&id)) {
                Ok(now) => *view = now,
                Err(error) => {
                    tracing::warn!(code = error.code(), %error, session = %id, "cannot record how a rebase stands")
                }
            }
        }
    }

    /// Finds out whether directories have uncommitted changes, several at once, until the time is over. Who was not asked
    /// for longest comes first, so that asking again reaches the others.
    ///
    /// # Errors
    /// If the store fails.
    pub fn refresh_dirty(
        &self,
        sessions: &mut [SessionView],
        longest: Duration,
    ) -> Result<(), EngineError> {
        let deadline = Instant::now() + longest;
        let questions = self.dirty_questions(sessions);
        for (index, dirty, checked_at) in self.ask_all(&questions, deadline) {
            let facts = sessions[index]
                .git
                .get_or_insert_with(|| facts(None, None, None, None, checked_at));
            facts.dirty = dirty;
            facts.checked_at = checked_at;
        }
        self.remember(sessions)
    }

    fn dirty_questions(&self, sessions: &[SessionView]) -> Vec<DirtyQuestion> {
        let mut opened = OpenedRepositories::default();
        let question = |index: usize| DirtyQuestion {
            index,
            repository: opened.get(self, &sessions[index]),
            directory: sessions[index].session.worktree.clone(),
        };
        longest_unasked(sessions)
            .into_iter()
            .map(question)
            .collect()
    }

    /// The answers, in no order. However late it is, something is asked: else a machine that is always busy would never learn.
    fn ask_all(
        &self,
        questions: &[DirtyQuestion],
        deadline: Instant,
    ) -> Vec<(usize, Option<bool>, Timestamp)> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut answers = Vec::new();
            while let Some(question) = questions.get(next.fetch_add(1, Ordering::Relaxed)) {
                answers.push((question.index, question.answer(), self.now()));
                if Instant::now() >= deadline {
                    break;
                }
            }
            answers
        };
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            let threads: Vec<_> = (0..cores.min(questions.len()))
                .map(|_| scope.spawn(work))
                .collect();
            // One that failed leaves its sessions as they were.
            let answers = threads.into_iter().filter_map(|thread| thread.join().ok());
            answers.flatten().collect()
        })
    }

    fn take_rows(
        &self,
        sessions: &mut [SessionView],
        indexes: &[usize],
        rows: Vec<BoardRow>,
        repository: &Repository,
    ) {
        let (now, checkouts) = (self.now(), checkouts(repository));
        let mut by_branch: HashMap<BranchName, BoardRow> = rows
            .into_iter()
            .map(|row| (row.branch.clone(), row))
            .collect();
        for index in indexes {
            let view = &mut sessions[*index];
            let Some(row) = by_branch.remove(&view.session.branch) else {
                continue;
            };
            let known = view.git.take();
            let other = other_checkout(&view.session, repository, &row, &checkouts, known.as_ref());
            let landed = known.as_ref().and_then(|known| known.landed.clone());
            let same_head = known.as_ref().is_some_and(|facts| facts.head == row.head);
            let (dirty, checked_at) = match known.filter(|_| same_head) {
                Some(known) => (known.dirty, known.checked_at),
                None => (None, now),
            };
            view.take_facts(facts(Some(row), other, landed, dirty, checked_at));
        }
    }

    fn remember(&self, sessions: &[SessionView]) -> Result<(), EngineError> {
        let facts: Vec<(&SessionId, &GitFacts)> = sessions
            .iter()
            .filter_map(|view| view.git.as_ref().map(|facts| (&view.session.id, facts)))
            .collect();
        self.write_stream(|tx| {
            for (id, facts) in facts {
                tx.put_git_facts(id, facts)?;
            }
            Ok(())
        })
    }
}

/// What git is asked of a session's branch.
pub(crate) fn board_query(session: &Session) -> BoardQuery {
    BoardQuery {
        branch: session.branch.clone(),
        base: session.base_branch.clone(),
        remote: session.base_remote.clone(),
    }
}

/// What git said, as it is remembered. A branch that git does not know has no row.
pub(crate) fn facts(
    row: Option<BoardRow>,
    other_checkout: Option<OtherCheckout>,
    landed: Option<LandedFact>,
    dirty: Option<bool>,
    checked_at: Timestamp,
) -> GitFacts {
    let counts = row.as_ref().and_then(|row| row.against_base);
    GitFacts {
        ahead: counts.and_then(|counts| u32::try_from(counts.ahead).ok()),
        behind: counts.and_then(|counts| u32::try_from(counts.behind).ok()),
        head: row.and_then(|row| row.head),
        dirty,
        other_checkout,
        landed,
        checked_at,
    }
}

/// Whether what landed is still there.
fn take_landed(sessions: &mut [SessionView], indexes: &[usize], repository: &Repository) {
    let has_landed = |index: &&usize| sessions[**index].session.landed.is_some();
    let indexes: Vec<usize> = indexes.iter().filter(has_landed).copied().collect();
    let questions = indexes.iter().filter_map(|index| {
        let SessionView { session, git, .. } = &sessions[*index];
        Some(Question {
            landed: session.landed.as_ref()?,
            known: git.as_ref().and_then(|facts| facts.landed.clone()),
        })
    });
    let answers = look(repository, &questions.collect::<Vec<_>>());
    for (index, landed) in indexes.into_iter().zip(answers) {
        if let Some(git) = sessions[index].git.clone() {
            sessions[index].take_facts(GitFacts { landed, ..git });
        }
    }
}

fn longest_unasked(sessions: &[SessionView]) -> Vec<usize> {
    // Files that are not all written yet are no changes.
    let is_made = |index: &usize| sessions[*index].session.worktree_ready;
    let mut indexes: Vec<usize> = (0..sessions.len()).filter(is_made).collect();
    indexes.sort_by_key(|index| sessions[*index].git.as_ref().map(|facts| facts.checked_at));
    indexes
}

/// Whether one session's directory has uncommitted changes.
struct DirtyQuestion {
    index: usize,
    repository: Option<Repository>,
    directory: PathBuf,
}

impl DirtyQuestion {
    /// `None` if it cannot be told.
    fn answer(&self) -> Option<bool> {
        let repository = self.repository.as_ref()?;
        let worktree = repository.worktree_at(&self.directory).ok()?;
        worktree.is_dirty().ok()
    }
}

/// Repositories by key: each is opened once, however many sessions it has.
#[derive(Default)]
struct OpenedRepositories(HashMap<RepositoryId, Option<Repository>>);

impl OpenedRepositories {
    /// The session's repository; `None` if it cannot be opened.
    fn get(&mut self, engine: &Engine, view: &SessionView) -> Option<Repository> {
        let opened = self.0.entry(view.repository.id);
        let open = || engine.git().ok()?.open(&view.repository.root).ok();
        opened.or_insert_with(open).clone()
    }
}
