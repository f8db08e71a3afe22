//! Looks after what git says of sessions while somebody listens: one thread for all repositories. It asks the file system
//! when files of git changed, and git only then.

use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Weak;
use std::thread;
use std::time::Duration;

use orchestra_core::{GitFacts, Repository, RepositoryId, SessionId};
use orchestra_engine::{Engine, EngineError, ListRequest, chain};

use crate::desk::DeskParts;
use crate::error::ApiError;
use crate::feed::Message;

/// How often files are looked at.
const PACE: Duration = Duration::from_secs(1);
/// How long git may take at a time to say which sessions have uncommitted changes.
const ASKING: Duration = Duration::from_millis(500);
/// Folders of references are not followed deeper than any branch name of use.
const DEPTH: usize = 8;

/// Starts the thread; it ends with the desk.
pub(crate) fn start(desk: Weak<DeskParts>, engine: Engine) -> Result<(), ApiError> {
    let mut watch = Watch {
        engine,
        seen: HashMap::new(),
    };
    let look = move || {
        while let Some(desk) = desk.upgrade() {
            if desk.feed.has_listeners()
                && let Err(error) = watch.look(&desk)
            {
                tracing::debug!(error = %chain::text(&error), "repositories cannot be watched");
            }
            drop(desk);
            thread::sleep(PACE);
        }
    };
    let thread = thread::Builder::new().name("watch".to_owned());
    thread
        .spawn(look)
        .map(drop)
        .map_err(|_| ApiError::broken_off())
}

struct Watch {
    engine: Engine,
    /// What the files of a repository looked like when git was asked last.
    seen: HashMap<RepositoryId, u64>,
}

impl Watch {
    fn look(&mut self, desk: &DeskParts) -> Result<(), EngineError> {
        for repository in self.engine.repositories()? {
            let now = stamp(&repository.common_dir);
            if self.seen.insert(repository.id, now) != Some(now) {
                let changed = self.ask(&repository)?;
                if !changed.is_empty() {
                    desk.feed.tell(Message::Facts(changed.into()));
                }
            }
        }
        Ok(())
    }

    /// Asks git about the sessions of a repository; those of which it says something else now.
    fn ask(&self, repository: &Repository) -> Result<Vec<SessionId>, EngineError> {
        let request = ListRequest {
            repository: Some(repository.id),
            ..ListRequest::default()
        };
        let mut sessions = self.engine.list_sessions(&request)?.sessions;
        let before: Vec<_> = sessions.iter().map(|view| view.git.clone()).collect();
        self.engine.refresh_heads(&mut sessions)?;
        self.engine.refresh_dirty(&mut sessions, ASKING)?;
        let pairs = sessions.into_iter().zip(before);
        let changed = pairs.filter(|(view, before)| is_news(view.git.as_ref(), before.as_ref()));
        Ok(changed.map(|(view, _)| view.session.id).collect())
    }
}

/// When they were asked for is no news.
fn is_news(now: Option<&GitFacts>, before: Option<&GitFacts>) -> bool {
    let said = |facts: &GitFacts| GitFacts {
        checked_at: orchestra_core::Timestamp::UNIX_EPOCH,
        ..facts.clone()
    };
    now.map(said) != before.map(said)
}

/// Changes when a branch moves, something is staged or another branch is checked out, in any worktree.
fn stamp(git: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    for name in ["HEAD", "packed-refs", "index"] {
        add(&git.join(name), &mut hasher);
    }
    add_folders(&git.join("refs/heads"), DEPTH, &mut hasher);
    for worktree in entries(&git.join("worktrees")) {
        for name in ["HEAD", "index"] {
            add(&worktree.join(name), &mut hasher);
        }
    }
    hasher.finish()
}

/// Git replaces the file of a reference, so its folder changes with it.
fn add_folders(folder: &Path, depth: usize, hasher: &mut DefaultHasher) {
    add(folder, hasher);
    if depth == 0 {
        return;
    }
    for entry in entries(folder) {
        if entry.is_dir() {
            add_folders(&entry, depth - 1, hasher);
        }
    }
}

fn add(path: &Path, hasher: &mut DefaultHasher) {
    let written = path
        .metadata()
        .and_then(|it| Ok((it.modified()?, it.len())));
    (path, written.ok()).hash(hasher);
}

fn entries(folder: &Path) -> Vec<std::path::PathBuf> {
    let found = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<_> = found.map(|entry| entry.path()).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_branch_changes_the_stamp_and_reading_does_not() {
        let git = tempfile::tempdir().unwrap();
        let heads = git.path().join("refs/heads/amp/one");
        fs::create_dir_all(&heads).unwrap();
        fs::write(heads.join("a"), "1").unwrap();
        let before = stamp(git.path());
        assert_eq!(stamp(git.path()), before);
        fs::write(heads.join("a.lock"), "2").unwrap();
        fs::rename(heads.join("a.lock"), heads.join("a")).unwrap();
        assert_ne!(stamp(git.path()), before);
    }
}
