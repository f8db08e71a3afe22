//! Repositories: registrations and locks that a killed git left, and worktrees that sessions have in them.

use std::collections::BTreeMap;
use std::path::Path;

use orchestra_core::status::Lease;
use orchestra_core::{RepositoryId, Session};
use orchestra_git::{Damage, Finding, HalfMade, Repository, StaleLock};

use super::writable::require_writable;
use super::{Diagnosis, Health};
use crate::half_made::half_made;
use crate::loss::is_gone;
use crate::{Engine, EngineError};

impl Engine {
    pub(super) fn check_repositories(&self, fix: bool) -> Result<Vec<Diagnosis>, EngineError> {
        let mut by_repository: BTreeMap<RepositoryId, Vec<Session>> = BTreeMap::new();
        for session in self.all_sessions()? {
            by_repository
                .entry(session.repository)
                .or_default()
                .push(session);
        }
        if self.git().is_err() {
            let unseen = Diagnosis::new("repositories", Health::Note, "they were not looked at");
            return Ok(vec![unseen.hint("they need git")]);
        }
        let repositories = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.repositories()?))?;
        let mut checks = Vec::new();
        for repository in repositories {
            let sessions = by_repository.remove(&repository.id).unwrap_or_default();
            if is_gone(&repository) {
                checks.push(self.check_gone(&repository, &sessions, fix)?);
            } else {
                checks.extend(self.check_repository(&repository.root, &sessions, fix));
            }
        }
        Ok(checks)
    }

    /// The repository the user stands in, if it is recorded elsewhere.
    pub(super) fn check_moved(
        &self,
        here: &Path,
        fix: bool,
    ) -> Result<Vec<Diagnosis>, EngineError> {
        let Some(moved) = self.moved_here(here)? else {
            return Ok(Vec::new());
        };
        let (name, count) = (
            format!("repository {}", here.display()),
            moved.sessions.len(),
        );
        let detail = format!("it was moved here from {}", moved.repository.root.display());
        if !fix {
            let hint = format!("`orchestra doctor --fix` here brings its {count} session(s) along");
            return Ok(vec![Diagnosis::new(&name, Health::Bad, detail).hint(hint)]);
        }
        self.bring_along(&moved)?;
        let detail = format!("{detail}; its {count} session(s) came along");
        Ok(vec![Diagnosis::new(&name, Health::Fixed, detail)])
    }

    /// Sessions that were put away need their repository no more; one without sessions need not be remembered.
    fn check_gone(
        &self,
        repository: &orchestra_core::Repository,
        sessions: &[Session],
        fix: bool,
    ) -> Result<Diagnosis, EngineError> {
        let root = repository.root.clone();
        let name = format!("repository {}", root.display());
        if sessions.is_empty() && fix {
            self.write(|tx| Ok(tx.forget_repository_without_sessions(repository.id)?))?;
            let detail = "forgotten: it is not there any more and has no sessions";
            return Ok(Diagnosis::new(&name, Health::Fixed, detail));
        }
        let missing = EngineError::RepositoryMissing { root };
        let is_away = |session: &Session| session.archived_at.is_some() || session.trash.is_some();
        if !sessions.iter().all(is_away) {
            return Ok(Diagnosis::bad(&name, &missing));
        }
        let count = sessions.len();
        let detail = format!("it is not there any more; its {count} session(s) are put away");
        let check = Diagnosis::new(&name, Health::Note, detail);
        Ok(match sessions {
            [] => check.hint("`orchestra doctor --fix` forgets it"),
            _ => check.hint_of(&missing),
        })
    }

    fn check_repository(&self, root: &Path, sessions: &[Session], fix: bool) -> Vec<Diagnosis> {
        let name = format!("repository {}", root.display());
        let bad = |error: &EngineError| Diagnosis::bad(&name, error);
        let repository = match self.open_recorded(root) {
            Ok(repository) => repository,
            Err(error) => return vec![bad(&error)],
        };
        let half_made: Vec<_> = self.abandoned(sessions).map(half_made).collect();
        let looked = if fix {
            repair(&name, &repository, &half_made)
        } else {
            look(&name, &repository, &half_made)
        };
        let mut checks = looked.unwrap_or_else(|error| vec![bad(&error)]);
        if let Err(error) = require_writable(repository.common_dir()) {
            checks.push(bad(&error));
        }
        for session in sessions.iter().filter(|session| session.worktree.is_dir()) {
            checks.extend(self.check_locks(&repository, session, fix));
        }
        match self.check_folders(&repository, sessions, fix) {
            Ok(found) => checks.extend(found),
            Err(error) => checks.push(bad(&error)),
        }
        if checks.is_empty() {
            checks.push(Diagnosis::new(
                &name,
                Health::Good,
                format!("{} session(s)", sessions.len()),
            ));
        }
        match self.check_checkouts(&repository, sessions) {
            Ok(found) => checks.extend(found),
            Err(error) => checks.push(bad(&error)),
        }
        checks
    }

    /// Sessions whose worktree was begun and is not being made any more.
    fn abandoned<'a>(&self, sessions: &'a [Session]) -> impl Iterator<Item = &'a Session> {
        sessions.iter().filter(|session| {
            !session.worktree_ready && self.leases.state(&session.id) == Lease::Free
        })
    }

    fn check_locks(&self, repository: &Repository, session: &Session, fix: bool) -> Vec<Diagnosis> {
        let Ok(worktree) = repository.worktree_at(&session.worktree) else {
            return Vec::new();
        };
        // A running session's git owns its locks.
        if self.leases.state(&session.id) != Lease::Free {
            return Vec::new();
        }
        let name = format!("session {} ({})", session.id, session.name);
        let looked = if fix {
            let removed = worktree.clear_stale_locks();
            removed.map(|paths| paths.iter().map(|path| removed_lock(&name, path)).collect())
        } else {
            let stale = |locks: Vec<StaleLock>| locks.into_iter().filter(|lock| !lock.in_use);
            let rows = |locks| {
                stale(locks)
                    .map(|lock| stale_lock(&name, &lock.path))
                    .collect()
            };
            worktree.locks().map(rows)
        };
        looked.unwrap_or_else(|error| vec![Diagnosis::bad(&name, &error.into())])
    }
}

/// What git left unfinished in a repository, repaired.
fn repair(
    name: &str,
    repository: &Repository,
    half_made: &[HalfMade],
) -> Result<Vec<Diagnosis>, EngineError> {
    let removed = repository.clear_stale_shared_locks()?;
    let mut checks: Vec<_> = removed
        .iter()
        .map(|path| removed_lock(name, path))
        .collect();
    // What was removed is told, whatever becomes of the rest.
    match repository.repair_half_made(half_made) {
        Ok(findings) => checks.extend(findings.iter().map(|finding| finding_check(name, finding))),
        Err(error) => checks.push(Diagnosis::bad(name, &error.into())),
    }
    Ok(checks)
}

/// The same, only looked at.
fn look(
    name: &str,
    repository: &Repository,
    half_made: &[HalfMade],
) -> Result<Vec<Diagnosis>, EngineError> {
    let stale = repository.shared_locks()?.into_iter();
    let stale = stale.filter(|lock| !lock.in_use);
    let stale = stale.map(|lock| stale_lock(name, &lock.path));
    let damage = repository.damaged_registrations(half_made)?.into_iter();
    let damage = damage.map(|damage| match damage {
        Damage::HalfMade(path) => {
            let detail = format!("the registration {} is half-made", path.display());
            Diagnosis::new(name, Health::Bad, detail).hint("`orchestra doctor --fix` takes it away")
        }
        Damage::Foreign(path) => finding_check(name, &Finding::Foreign(path)),
    });
    Ok(stale.chain(damage).collect())
}

fn removed_lock(name: &str, path: &Path) -> Diagnosis {
    let detail = format!("removed the stale lock {}", path.display());
    Diagnosis::new(name, Health::Fixed, detail)
}

fn stale_lock(name: &str, path: &Path) -> Diagnosis {
    let detail = format!("a killed git left {}", path.display());
    Diagnosis::new(name, Health::Bad, detail).hint("`orchestra doctor --fix` removes it")
}

fn finding_check(name: &str, finding: &Finding) -> Diagnosis {
    match finding {
        Finding::RemovedRegistration(path) => Diagnosis::new(
            name,
            Health::Fixed,
            format!("removed the half-made {}", path.display()),
        ),
        Finding::RemovedDirectory(path) => Diagnosis::new(
            name,
            Health::Fixed,
            format!("removed the empty {}", path.display()),
        ),
        Finding::RemovedBranch(branch) => Diagnosis::new(
            name,
            Health::Fixed,
            format!("removed the unused branch {branch}"),
        ),
        Finding::KeptDirectory(path) => Diagnosis::new(
            name,
            Health::Note,
            format!("kept {}: there are files in it", path.display()),
        ),
        Finding::Foreign(path) => Diagnosis::new(
            name,
            Health::Bad,
            format!("{} is damaged and not ours", path.display()),
        )
        .hint("`git worktree prune` may remove it"),
    }
}
