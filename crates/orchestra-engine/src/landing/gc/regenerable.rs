//! Directories of sessions at rest that can be made again: shown by every `gc`, removed only if somebody wants that. It is
//! written down before the first file goes, so that half a directory never looks like one that was set up.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use orchestra_core::{CLEAR_SCRIPT, ScriptRun, Session, SessionId, SessionName, visible_line};
use orchestra_git::{DiskUse, Worktree, disk_use};

use super::{has_worktree, is_settled};
use crate::landing::cleanup::in_use;
use crate::view::SessionView;
use crate::{Engine, EngineError, chain};

/// How long one directory may take to be counted.
const COUNTING: Duration = Duration::from_secs(20);

/// A directory that can be made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regenerable {
    /// In whose worktree it is.
    pub session: SessionId,
    /// What people call the session.
    pub name: SessionName,
    /// The worktree.
    pub worktree: PathBuf,
    /// Where it is below that.
    pub path: PathBuf,
    /// The space it takes.
    pub space: DiskUse,
}

/// Directories that can be made again, or that were removed.
#[derive(Debug, Clone, Default)]
pub struct RegenerableListing {
    /// By session, then by path.
    pub directories: Vec<Regenerable>,
    /// Sessions that have such directories and are left alone because somebody works there.
    pub skipped: Vec<String>,
    /// What could not be looked at or removed, and why.
    pub problems: Vec<String>,
}

/// Directories that are gone, and why others are not.
type Cleared = (Vec<Regenerable>, Option<EngineError>);

/// What can be removed of one session.
enum Offered {
    Directories(Vec<Regenerable>),
    /// Somebody works there: why it is left alone.
    Skipped(String),
}

/// What became of the directories of one session.
enum Clearing {
    Done(Cleared),
    /// Somebody works there: why it was left alone.
    Skipped(String),
}

impl RegenerableListing {
    /// The space that would be free without them.
    #[must_use]
    pub fn own_bytes(&self) -> u64 {
        self.directories.iter().map(|it| it.space.own_bytes).sum()
    }
}

impl Engine {
    /// Directories that can be made again, of every session in which nothing works, and which sessions are left alone. One that has a repository in it, or
    /// something that is mounted there, is none of them.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn regenerable(&self) -> Result<RegenerableListing, EngineError> {
        let mut listing = RegenerableListing::default();
        for repository in self.recorded_repositories()? {
            if !repository.root.exists() {
                continue;
            }
            let there = match self.with_settings_of(&repository.root) {
                Ok(there) => there,
                Err(error) => {
                    let root = repository.root.display();
                    let problem = format!("{root}: {}", chain::text(&error));
                    listing.problems.push(problem);
                    continue;
                }
            };
            for session in self.sessions_in(repository.id)? {
                let view = self.session(&session.id)?;
                if has_worktree(&view) {
                    listing.take(&view, there.offer_of(&view));
                }
            }
        }
        Ok(listing)
    }

    /// Removes directories that can be made again. What cannot be removed in one session does not keep others from it.
    pub fn remove_regenerable(&self, directories: Vec<Regenerable>) -> RegenerableListing {
        let mut of_sessions: BTreeMap<SessionId, Vec<PathBuf>> = BTreeMap::new();
        for directory in directories {
            let paths = of_sessions.entry(directory.session).or_default();
            paths.push(directory.path);
        }
        let mut removed = RegenerableListing::default();
        let mut engines = BTreeMap::new();
        for (id, paths) in of_sessions {
            let there = self.engine_of(&id, &mut engines);
            match there.and_then(|there| there.clear_session(&id, &paths)) {
                Ok(Clearing::Done((gone, error))) => {
                    removed.directories.extend(gone);
                    removed.problems.extend(error.map(|it| problem(&id, &it)));
                }
                Ok(Clearing::Skipped(why)) => removed.skipped.push(format!("{id}: {why}")),
                Err(error) => removed.problems.push(problem(&id, &error)),
            }
        }
        removed
    }

    /// An engine with the settings of a session's repository, which are read once for all of its sessions.
    fn engine_of<'a>(
        &self,
        id: &SessionId,
        engines: &'a mut BTreeMap<PathBuf, Self>,
    ) -> Result<&'a Self, EngineError> {
        let root = self.session(id)?.repository.root;
        Ok(match engines.entry(root) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let there = self.with_settings_of(new.key())?;
                new.insert(there)
            }
        })
    }

    fn clear_session(&self, id: &SessionId, paths: &[PathBuf]) -> Result<Clearing, EngineError> {
        let (_lease, _) = self.take_at_rest(id)?;
        // None begins meanwhile.
        let _servers = self.take_servers(id)?;
        let view = self.session(id)?;
        if let Some(why) = why_left_alone(&view)? {
            let why = format!("{why}, so nothing was removed");
            return Ok(Clearing::Skipped(why));
        }
        let mut found = self.regenerable_of(&view.session)?;
        found.retain(|it| paths.contains(&it.path));
        Ok(Clearing::Done(match found.is_empty() {
            true => (found, None),
            false => self.clear(&view, found)?,
        }))
    }

    /// Removes directories of a session. Only for whoever holds its lease.
    fn clear(
        &self,
        view: &SessionView,
        directories: Vec<Regenerable>,
    ) -> Result<Cleared, EngineError> {
        let run = self.record_clearing(view, &directories)?;
        self.failpoints.pass("clear.recorded");
        let (removed, error) = self.remove_each(&run, directories);
        self.failpoints.pass("clear.removed");
        self.close_removal(&run, error.as_ref())?;
        Ok((removed, error))
    }

    /// Ends at the first that cannot be removed.
    fn remove_each(&self, run: &ScriptRun, directories: Vec<Regenerable>) -> Cleared {
        let mut gone = Vec::new();
        for directory in directories {
            let Regenerable { worktree, path, .. } = &directory;
            if let Err(source) = self.remove_regenerable_in(worktree, path) {
                let what = format!("remove {}", worktree.join(path).display());
                return (gone, Some(EngineError::io(what, source)));
            }
            self.say_in_log(run, &format!("removed {}", path.display()));
            gone.push(directory);
        }
        (gone, None)
    }

    /// It must be on the disk before the first file is gone.
    fn record_clearing(
        &self,
        view: &SessionView,
        directories: &[Regenerable],
    ) -> Result<ScriptRun, EngineError> {
        let paths = directories.iter().map(|it| it.path.display().to_string());
        let paths = paths.collect::<Vec<_>>().join("; ");
        self.write(|tx| {
            tx.forget_disk_use(&view.session.id)?;
            self.record_removal(tx, view, CLEAR_SCRIPT, &format!("remove {paths}"))
        })
    }

    fn offer_of(&self, view: &SessionView) -> Result<Offered, EngineError> {
        let found = self.regenerable_of(&view.session)?;
        // Whoever has nothing to remove need not be told why it stays.
        let why = match found.is_empty() {
            true => None,
            false => why_left_alone(view)?,
        };
        Ok(why.map_or(Offered::Directories(found), Offered::Skipped))
    }

    fn regenerable_of(&self, session: &Session) -> Result<Vec<Regenerable>, EngineError> {
        let Some(worktree) = self.find_worktree_of(session)? else {
            return Ok(Vec::new());
        };
        let paths = self.regenerable_in(session, &worktree)?.into_iter();
        let found = paths.filter_map(|path| {
            Some(Regenerable {
                session: session.id.clone(),
                name: session.name.clone(),
                worktree: worktree.path().to_owned(),
                space: counted(&worktree, &path)?,
                path,
            })
        });
        Ok(found.collect())
    }
}

impl RegenerableListing {
    fn take(&mut self, view: &SessionView, offered: Result<Offered, EngineError>) {
        let Session { id, name, .. } = &view.session;
        match offered {
            Ok(Offered::Directories(directories)) => self.directories.extend(directories),
            Ok(Offered::Skipped(why)) => {
                let name = visible_line(name.as_str());
                self.skipped
                    .push(format!("{id} {name}: {why}, so nothing is removed there"));
            }
            Err(error) => self.problems.push(problem(id, &error)),
        }
    }
}

/// What works in a session, or uses its directory.
fn why_left_alone(view: &SessionView) -> Result<Option<String>, EngineError> {
    if let Some(run) = view.running_servers().next() {
        return Ok(Some(format!("its server {} runs", run.script)));
    }
    if !is_settled(view) {
        return Ok(Some(format!("it is {}", view.status)));
    }
    let obstacle = in_use(&view.session.worktree, &BTreeSet::new())?;
    Ok(obstacle.map(|obstacle| obstacle.to_string()))
}

fn problem(id: &SessionId, error: &EngineError) -> String {
    format!("{id}: {}", chain::text(error))
}

/// `None` if nobody can say what is in it, there is a repository that may have work of its own, or something is mounted inside.
fn counted(worktree: &Worktree, path: &std::path::Path) -> Option<DiskUse> {
    let counted = disk_use(&worktree.path().join(path), COUNTING).ok()?;
    let has_others = counted.has_repository || counted.has_mount;
    (counted.is_complete && !has_others).then_some(counted)
}
