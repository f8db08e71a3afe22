//! What a new worktree gets of the files that git ignores in the main checkout: copies of those that the settings name, and
//! dependencies that share their data with the originals.
//!
//! Whoever wrote the tree or the patterns may be hostile: nothing is read from outside of the repository, no link is followed
//! or leads out of the worktree, nothing that is there is replaced. What cannot be copied is left out and named; it never
//! fails the rest.

mod choose;
mod directory;
mod env_file;
mod left_out;
mod link;
mod log;
mod regenerable;
mod share;
mod transfer;
mod wanted;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use orchestra_core::{FileGlob, Session, SessionId, and_more};
use orchestra_git::Ignored;

pub(crate) use directory::{Directory, Kind, is_of_another_kind};
pub use log::CopyLine;
pub(crate) use wanted::{is_env_file, names_env_file};

use choose::{Choice, Chosen};
use left_out::LeftOut;
use log::Log;
use transfer::{How, Route, Transfer};
use wanted::Wanted;

use crate::{Engine, EngineError};

/// More patterns of the same kind as `worktree.copy`, one in a line.
const INCLUDE_FILE: &str = ".worktreeinclude";
/// More than any list of patterns that people write.
const LARGEST_INCLUDE_FILE: u64 = 1 << 20;
/// More lines about patterns that match nothing would hide the others.
const MOST_IDLE: usize = 20;

/// What a repository wants its worktrees to have.
struct WantedFiles {
    copied: Wanted,
    reused: Wanted,
}

impl Engine {
    /// Copies ignored files of the main checkout into a session's worktree, as the settings `worktree.copy`,
    /// `worktree.reuse` and `worktree.rewrite` and the file `.worktreeinclude` say. What is there stays as it is, so it can be
    /// done again. The answer says what was done and what was left out.
    ///
    /// # Errors
    /// If the repository or the worktree cannot be read, or a new value cannot be filled in.
    pub fn copy_into_worktree(&self, id: &SessionId) -> Result<Vec<CopyLine>, EngineError> {
        self.copy_into_worktree_until(id, &|| false)
    }

    /// The same, for as long as nobody wants it to end: that is asked before every file or directory, on any thread. The same again
    /// goes on with it.
    ///
    /// # Errors
    /// As [`Engine::copy_into_worktree`].
    pub fn copy_into_worktree_until(
        &self,
        id: &SessionId,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<CopyLine>, EngineError> {
        let view = self.session(id)?;
        let mut log = Log::default();
        let checkout = open(&view.repository.root)?;
        // Most repositories name nothing, and git need not be asked for that.
        if let Some(wanted) = self.wanted_files(&checkout, &mut log) {
            self.failpoints.pass("copy.begun");
            self.copy_wanted(&view.session, &wanted, (&mut log, is_stopped))?;
            self.failpoints.pass("copy.done");
        }
        let mut lines = log.into_lines();
        for line in &mut lines {
            line.text = self.redact(&line.text);
        }
        Ok(lines)
    }

    /// Whether worktrees of a repository get anything. A main checkout that cannot be opened is left to whoever copies.
    pub(crate) fn wants_files(&self, root: &Path) -> bool {
        let wanted = Directory::open(root)
            .map(|checkout| self.wanted_files(&checkout, &mut Log::default()).is_some());
        wanted.unwrap_or(true)
    }

    /// `None` if a worktree gets nothing.
    fn wanted_files(&self, checkout: &Directory, log: &mut Log) -> Option<WantedFiles> {
        let settings = &self.config().worktree;
        let mut wanted = WantedFiles {
            copied: of_settings(&settings.copy, "worktree.copy", log),
            reused: of_settings(&settings.reuse, "worktree.reuse", log),
        };
        add_included(&mut wanted.copied, checkout, log);
        let is_nothing = wanted.copied.is_empty() && wanted.reused.is_empty();
        (!is_nothing).then_some(wanted)
    }

    fn copy_wanted(
        &self,
        session: &Session,
        files: &WantedFiles,
        (log, is_stopped): (&mut Log, &(dyn Fn() -> bool + Sync)),
    ) -> Result<(), EngineError> {
        let repository = self.repository_of(session)?;
        let rewrites = self.rewrites_of(session, repository.root())?;
        let checkout = repository.worktree_at(repository.root())?;
        let worktree = self.worktree_of(session)?;
        let (from, to) = (open(checkout.path())?, open(worktree.path())?);
        let worktrees = session.worktree.parent();
        let route = Route {
            from: &from,
            tops: &spellings(checkout.path()),
            to: &to,
            worktrees: worktrees.and_then(|parent| parent.strip_prefix(checkout.path()).ok()),
            wanted: &files.copied,
            env_files: &files.copied,
            rewrites: &rewrites,
            failpoints: &self.failpoints,
            is_stopped,
        };
        let ignored = checkout.ignored()?;
        let mut looked_for = Vec::new();
        let mut env_files = BTreeSet::new();
        for (how, wanted) in [(How::Copy, &files.copied), (How::Share, &files.reused)] {
            let route = Route { wanted, ..route };
            let ControlFlow::Continue((chosen, found)) = bring_all(route, how, (&ignored, log))
            else {
                return Ok(());
            };
            env_files.extend(found);
            looked_for.push((wanted, chosen));
        }
        tell_idle(looked_for, &env_files, log);
        Ok(())
    }
}

/// Says which patterns match nothing: often they are misspelled, or git does not ignore what they mean. Env files inside of
/// directories that were brought are found by patterns that do not name the directory.
fn tell_idle(looked_for: Vec<(&Wanted, Chosen)>, env_files: &BTreeSet<PathBuf>, log: &mut Log) {
    let mut idle = Vec::new();
    for (wanted, mut chosen) in looked_for {
        for path in env_files {
            wanted.note(path, &mut chosen.matched);
        }
        idle.extend(wanted.idle(&chosen.matched, &chosen.paths));
    }
    for pattern in idle.iter().take(MOST_IDLE) {
        log.say(format!("{pattern} matches nothing that git ignores"));
    }
    if let Some(more) = and_more(idle.len(), MOST_IDLE) {
        log.say(format!("{more} that match nothing"));
    }
}

/// Brings what is wanted along a route, for as long as nobody wants it to end. Answers what was chosen, and the env files.
fn bring_all(
    route: Route<'_>,
    how: How,
    (ignored, log): (&[Ignored], &mut Log),
) -> ControlFlow<(), (Chosen, BTreeSet<PathBuf>)> {
    let choice = Choice {
        top: route.from,
        wanted: route.wanted,
        worktrees: route.worktrees,
    };
    let chosen = choice.choose(ignored, log);
    let mut transfer = Transfer::new(route, how, log);
    for path in &chosen.paths {
        if (route.is_stopped)() {
            return ControlFlow::Break(());
        }
        transfer.bring(path);
    }
    let env_files = transfer.finish();
    ControlFlow::Continue((chosen, env_files))
}

fn open(path: &Path) -> Result<Directory, EngineError> {
    let opened = Directory::open(path);
    opened.map_err(|error| EngineError::io(format!("open the directory {}", path.display()), error))
}

/// A path as it was given, and without links on the way.
fn spellings(path: &Path) -> Vec<PathBuf> {
    let real = path.canonicalize().ok();
    [path.to_owned()].into_iter().chain(real).collect()
}

fn of_settings(globs: &[FileGlob], key: &str, log: &mut Log) -> Wanted {
    let mut wanted = Wanted::default();
    add_patterns(&mut wanted, globs.iter().map(FileGlob::as_str), (key, log));
    wanted
}

/// Adds patterns of a setting. One that is none is told and wants nothing.
fn add_patterns<'a>(
    wanted: &mut Wanted,
    patterns: impl Iterator<Item = &'a str>,
    (key, log): (&str, &mut Log),
) {
    for pattern in patterns {
        if let Err(error) = wanted.add(pattern, key) {
            log.warn(format!("{key}: {error}"));
        }
    }
}

/// A file that is not there wants nothing.
fn add_included(wanted: &mut Wanted, checkout: &Directory, log: &mut Log) {
    let mut text = String::new();
    let read = checkout
        .file(OsStr::new(INCLUDE_FILE))
        .and_then(|file| file.take(LARGEST_INCLUDE_FILE).read_to_string(&mut text));
    match read {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => log.warn(format!("{INCLUDE_FILE} cannot be read: {error}")),
        Ok(_) => {
            let lines = (1..).zip(text.lines());
            let lines = lines.map(|(number, line)| (number, line.trim()));
            for (number, line) in lines.filter(|(_, line)| !is_remark(line)) {
                let place = format!("{INCLUDE_FILE}, line {number}");
                if let Err(error) = wanted.add(line, &place) {
                    log.warn(format!("{place}: {error}"));
                }
            }
        }
    }
}

fn is_remark(line: &str) -> bool {
    line.is_empty() || line.starts_with('#')
}
