//! The doctor: looks at everything a session depends on, says what is wrong, and repairs what is ours.

mod directory;
mod restore;
mod unrecorded;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use orchestra_agents::Login;
use orchestra_core::status::Lease;
use orchestra_core::{RepositoryId, Session, SessionId, SessionStatus};
use orchestra_git::{Damage, Finding, HalfMade, Repository};
use orchestra_process::processes_with_marker_prefix;
use orchestra_store::SessionFilter;

pub(crate) use restore::require_not_lost;
pub use restore::{Restored, restore_database};

use crate::change::busy;
use crate::half_made::half_made;
use crate::{Engine, EngineError};

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at, such as `database`.
    pub name: String,
    /// How it is.
    pub health: Health,
    /// In words.
    pub detail: String,
    /// What can be done about it.
    pub hint: Option<String>,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// As it should be.
    Good,
    /// It was wrong and is right now.
    Fixed,
    /// Worth knowing.
    Note,
    /// Wrong.
    Bad,
}

impl Check {
    fn new(name: &str, health: Health, detail: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            health,
            detail: detail.into(),
            hint: None,
        }
    }

    fn of_session(session: &Session, health: Health, detail: impl Into<String>) -> Self {
        let name = format!("session {} ({})", session.id, session.name);
        Self::new(&name, health, detail)
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl Engine {
    /// Looks at everything; with `fix` repairs what is ours.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn doctor(&self, fix: bool) -> Result<Vec<Check>, EngineError> {
        let mut checks = vec![
            self.check_git(),
            self.check_database(),
            self.check_data_directory(fix),
            self.check_logs(),
        ];
        checks.extend(self.check_agents());
        checks.push(check_processes());
        checks.extend(self.check_sessions(fix)?);
        checks.extend(self.check_repositories(fix)?);
        checks.push(self.check_leftovers(fix)?);
        checks.extend(self.check_private_directories(fix));
        Ok(checks)
    }

    fn check_git(&self) -> Check {
        match self.git() {
            Ok(git) => Check::new("git", Health::Good, format!("version {}", git.version())),
            Err(error) => Check {
                hint: error.hint(),
                ..Check::new("git", Health::Bad, error.to_string())
            },
        }
    }

    fn check_database(&self) -> Check {
        match self.store.check_integrity() {
            Ok(problems) if problems.is_empty() => Check::new(
                "database",
                Health::Good,
                self.store.path().display().to_string(),
            ),
            Ok(problems) => Check::new("database", Health::Bad, problems.join("; "))
                .hint("keep a copy of the data directory and run `orchestra doctor --fix`"),
            Err(error) => Check {
                hint: error.hint(),
                ..Check::new("database", Health::Bad, error.to_string())
            },
        }
    }

    fn check_data_directory(&self, fix: bool) -> Check {
        let root = self.dirs.root();
        let detail = root.display().to_string();
        let name = "data directory";
        if !is_open_to_others(root) {
            return Check::new(name, Health::Good, detail);
        }
        let opened = format!("{detail} can be read by others");
        if fix && make_private(root).is_ok() {
            return Check::new(
                name,
                Health::Fixed,
                format!("{detail} is for its owner alone"),
            );
        }
        Check::new(name, Health::Bad, opened).hint("`orchestra doctor --fix` makes it private")
    }

    /// Where to look when something went wrong in the background.
    fn check_logs(&self) -> Check {
        let logs = self.dirs.logs();
        let detail = logs.display().to_string();
        let readable = fs::read_dir(&logs).map(|entries| entries.flatten().collect::<Vec<_>>());
        match readable {
            Ok(entries) => {
                let sizes = entries.iter().filter_map(|entry| entry.metadata().ok());
                let bytes: u64 = sizes.map(|metadata| metadata.len()).sum();
                let detail = format!("{detail}, {} KiB", bytes.div_ceil(1024));
                Check::new("logs", Health::Good, detail)
            }
            Err(error) => Check::new("logs", Health::Bad, format!("{detail}: {error}")),
        }
    }

    fn check_agents(&self) -> Vec<Check> {
        let report = |agent: crate::AgentReport| {
            let name = format!("agent {}", agent.name);
            match (agent.program, agent.login) {
                (None, _) => Check::new(&name, Health::Note, "not installed"),
                (Some(program), Login::Missing) => Check::new(
                    &name,
                    Health::Note,
                    format!("{}, not logged in", program.display()),
                )
                .hint("run `amp login`, or set AMP_API_KEY"),
                (Some(program), _) => {
                    Check::new(&name, Health::Good, program.display().to_string())
                }
            }
        };
        self.agents().into_iter().map(report).collect()
    }

    fn check_sessions(&self, fix: bool) -> Result<Vec<Check>, EngineError> {
        let mut checks = Vec::new();
        if fix {
            for session in self.all_sessions()? {
                checks.extend(self.recover_checked(&session));
            }
        }
        for session in self.all_sessions()? {
            let name = format!("session {} ({})", session.id, session.name);
            if let Some(check) = self.check_work(&session, &name)? {
                checks.push(check);
            } else if session.worktree_ready && session.archived_at.is_none() {
                checks.extend(self.check_directory(&session, &name)?);
            }
        }
        Ok(checks)
    }

    /// Something that was begun has no end: it goes on, it died, or nobody can tell.
    fn check_work(&self, session: &Session, name: &str) -> Result<Option<Check>, EngineError> {
        let view = self.session(&session.id)?;
        let scripts = self.unfinished_scripts_of(&session.id)?;
        let unfinished = view.work().is_some() || !scripts.is_empty() || !session.worktree_ready;
        if !unfinished || view.status.is_active() {
            return Ok(None);
        }
        if view.status == SessionStatus::Unknown {
            let unknown = busy(&view);
            let check = Check::new(name, Health::Bad, unknown.to_string());
            let lock = self.dirs.leases().join(format!("{}.run", session.id));
            return Ok(Some(check.hint(format!(
                "its lock cannot be read: check who owns {} and whether it is a plain file",
                lock.display()
            ))));
        }
        let check = Check::new(name, Health::Bad, "what worked on it died");
        let hint = "`orchestra doctor --fix` puts its records right";
        Ok(Some(check.hint(hint)))
    }

    /// One session that cannot be put right does not keep the others from it.
    fn recover_checked(&self, session: &Session) -> Vec<Check> {
        let name = format!("session {} ({})", session.id, session.name);
        match self.recover_session(&session.id) {
            Ok(done) => done
                .into_iter()
                .map(|what| Check::new(&name, Health::Fixed, what))
                .collect(),
            Err(error) => vec![Check {
                hint: error.hint(),
                ..Check::new(&name, Health::Bad, crate::chain::text(&error))
            }],
        }
    }

    fn check_repositories(&self, fix: bool) -> Result<Vec<Check>, EngineError> {
        let mut by_repository: BTreeMap<RepositoryId, Vec<Session>> = BTreeMap::new();
        for session in self.all_sessions()? {
            by_repository
                .entry(session.repository)
                .or_default()
                .push(session);
        }
        let repositories = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.repositories()?))?;
        let mut checks = Vec::new();
        for repository in repositories {
            let sessions = by_repository.remove(&repository.id).unwrap_or_default();
            checks.extend(self.check_repository(&repository.root, &sessions, fix));
        }
        Ok(checks)
    }

    fn check_repository(&self, root: &Path, sessions: &[Session], fix: bool) -> Vec<Check> {
        let name = format!("repository {}", root.display());
        let bad = |error: &EngineError| Check {
            hint: error.hint(),
            ..Check::new(&name, Health::Bad, error.to_string())
        };
        let repository = match self.git().and_then(|git| Ok(git.open(root)?)) {
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
        for session in sessions.iter().filter(|session| session.worktree.is_dir()) {
            checks.extend(self.check_locks(&repository, session, fix));
        }
        if checks.is_empty() {
            checks.push(Check::new(
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

    fn check_locks(&self, repository: &Repository, session: &Session, fix: bool) -> Vec<Check> {
        let name = format!("session {} ({})", session.id, session.name);
        let Ok(worktree) = repository.worktree_at(&session.worktree) else {
            return Vec::new();
        };
        // A running session's git owns its locks.
        if self.leases.state(&session.id) != Lease::Free {
            return Vec::new();
        }
        if fix {
            return match worktree.clear_stale_locks() {
                Ok(paths) => paths.iter().map(|path| removed_lock(&name, path)).collect(),
                Err(error) => vec![Check {
                    hint: error.hint(),
                    ..Check::new(&name, Health::Bad, error.to_string())
                }],
            };
        }
        let locks = worktree.locks().unwrap_or_default().into_iter();
        let stale = locks.filter(|lock| !lock.in_use);
        stale.map(|lock| stale_lock(&name, &lock.path)).collect()
    }

    /// Private git directories that killed processes left.
    fn check_private_directories(&self, fix: bool) -> Option<Check> {
        let name = "private git directories";
        let removed = fix.then(|| self.git().and_then(|git| Ok(git.sweep_leftovers()?)))?;
        match removed {
            Ok(0) => None,
            Ok(count) => Some(Check::new(
                name,
                Health::Fixed,
                format!("removed {count} that nobody uses"),
            )),
            Err(error) => Some(Check::new(name, Health::Note, crate::chain::text(&error))),
        }
    }

    /// Processes of runs that are over.
    fn check_leftovers(&self, fix: bool) -> Result<Check, EngineError> {
        let prefix = format!("{}:", self.store.epoch()?);
        let leftovers: Vec<_> =
            processes_with_marker_prefix(orchestra_config::variables::ORCHESTRA_RUN, &prefix)
                .into_iter()
                .filter(|process| !self.is_wanted(&process.marker.value[prefix.len()..]))
                .collect();
        if leftovers.is_empty() {
            return Ok(Check::new(
                "processes",
                Health::Good,
                "nothing runs that should not",
            ));
        }
        let count = leftovers.len();
        if !fix {
            return Ok(Check::new(
                "processes",
                Health::Bad,
                format!("{count} process(es) of ended runs"),
            )
            .hint("`orchestra doctor --fix` ends them"));
        }
        for process in leftovers {
            orchestra_process::sweep_marked(&process.marker);
        }
        Ok(Check::new(
            "processes",
            Health::Fixed,
            format!("ended {count} process(es) of ended runs"),
        ))
    }

    /// Whether the run a mark names still has a living runner.
    fn is_wanted(&self, run: &str) -> bool {
        let Some((session, what)) = run.split_once(':') else {
            return false;
        };
        let Ok(id) = session.parse() else {
            return false;
        };
        if let Some(key) = what.strip_prefix("script-") {
            let run = key.parse().ok().and_then(|key| self.script_run(key).ok());
            return run.is_some_and(|run| run.finished.is_none())
                && self.leases.state(&id) != Lease::Free;
        }
        // A lease that cannot be asked may have a living holder.
        self.leases.state(&id) != Lease::Free && self.is_unfinished(&id, what)
    }

    /// Whether this is the iteration that goes on. A store that cannot be asked does not say that it is over.
    fn is_unfinished(&self, id: &SessionId, number: &str) -> bool {
        let latest = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.latest_iteration(id)?));
        let Ok(latest) = latest else { return true };
        latest.is_some_and(|iteration| {
            !iteration.progress.is_finished() && iteration.number.to_string() == number
        })
    }

    fn all_sessions(&self) -> Result<Vec<Session>, EngineError> {
        self.store.read(|tx| {
            Ok(tx.sessions(SessionFilter {
                repository: None,
                archived: true,
            })?)
        })
    }
}

#[cfg(unix)]
fn is_open_to_others(directory: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(directory).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

#[cfg(unix)]
fn make_private(directory: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700))
}

/// Elsewhere a home directory is private by itself.
#[cfg(not(unix))]
fn is_open_to_others(_directory: &Path) -> bool {
    false
}

#[cfg(not(unix))]
fn make_private(_directory: &Path) -> std::io::Result<()> {
    Ok(())
}

fn check_processes() -> Check {
    if cfg!(target_os = "linux") {
        Check::new(
            "process control",
            Health::Good,
            "whole process trees are ended, detached ones too",
        )
    } else {
        Check::new(
            "process control",
            Health::Note,
            "process groups are ended; a program that detaches itself may survive",
        )
    }
}

/// What git left unfinished in a repository, repaired.
fn repair(
    name: &str,
    repository: &Repository,
    half_made: &[HalfMade],
) -> Result<Vec<Check>, EngineError> {
    let removed = repository.clear_stale_shared_locks()?;
    let mut checks: Vec<_> = removed
        .iter()
        .map(|path| removed_lock(name, path))
        .collect();
    // What was removed is told, whatever becomes of the rest.
    match repository.repair_half_made(half_made) {
        Ok(findings) => checks.extend(findings.iter().map(|finding| finding_check(name, finding))),
        Err(error) => checks.push(Check::new(name, Health::Bad, crate::chain::text(&error))),
    }
    Ok(checks)
}

/// The same, only looked at.
fn look(
    name: &str,
    repository: &Repository,
    half_made: &[HalfMade],
) -> Result<Vec<Check>, EngineError> {
    let stale = repository.shared_locks()?.into_iter();
    let stale = stale.filter(|lock| !lock.in_use);
    let stale = stale.map(|lock| stale_lock(name, &lock.path));
    let damage = repository.damaged_registrations(half_made)?.into_iter();
    let damage = damage.map(|damage| match damage {
        Damage::HalfMade(path) => {
            let detail = format!("the registration {} is half-made", path.display());
            Check::new(name, Health::Bad, detail).hint("`orchestra doctor --fix` takes it away")
        }
        Damage::Foreign(path) => finding_check(name, &Finding::Foreign(path)),
    });
    Ok(stale.chain(damage).collect())
}

fn removed_lock(name: &str, path: &Path) -> Check {
    let detail = format!("removed the stale lock {}", path.display());
    Check::new(name, Health::Fixed, detail)
}

fn stale_lock(name: &str, path: &Path) -> Check {
    let detail = format!("a killed git left {}", path.display());
    Check::new(name, Health::Bad, detail).hint("`orchestra doctor --fix` removes it")
}

fn finding_check(name: &str, finding: &Finding) -> Check {
    match finding {
        Finding::RemovedRegistration(path) => Check::new(
            name,
            Health::Fixed,
            format!("removed the half-made {}", path.display()),
        ),
        Finding::RemovedDirectory(path) => Check::new(
            name,
            Health::Fixed,
            format!("removed the empty {}", path.display()),
        ),
        Finding::RemovedBranch(branch) => Check::new(
            name,
            Health::Fixed,
            format!("removed the unused branch {branch}"),
        ),
        Finding::KeptDirectory(path) => Check::new(
            name,
            Health::Note,
            format!("kept {}: there are files in it", path.display()),
        ),
        Finding::Foreign(path) => Check::new(
            name,
            Health::Bad,
            format!("{} is damaged and not ours", path.display()),
        )
        .hint("`git worktree prune` may remove it"),
    }
}
