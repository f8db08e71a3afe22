//! Directories in a worktree that the project's own commands make again, such as dependencies and what was built.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use orchestra_core::{DatabaseKind, FileGlob, Session};
use orchestra_git::{Ignored, Worktree};

use super::choose::Choice;
use super::log::Log;
use super::wanted::Wanted;
use super::{Directory, add_patterns, open, spellings};
use crate::{Engine, EngineError};

/// What package managers and build tools call the directories that they fill.
const WELL_KNOWN: [&str; 12] = [
    "node_modules",
    "bower_components",
    "target",
    ".venv",
    "venv",
    ".tox",
    ".gradle",
    "dist",
    "build",
    ".next",
    ".nuxt",
    ".svelte-kit",
];

impl Engine {
    /// Directories below a worktree that can be made again: those that `worktree.reuse` names and well-known ones. Git
    /// ignores them and tracks nothing in them; links are none, nor is what is mounted there, nor what holds something that no
    /// command makes again.
    pub(crate) fn regenerable_in(
        &self,
        session: &Session,
        worktree: &Worktree,
    ) -> Result<Vec<PathBuf>, EngineError> {
        let top = open(worktree.path())?;
        let mut log = Log::default();
        let mut wanted = Wanted::default();
        // The settings come last, so that they can take back what is well known.
        let reused = self.config().worktree.reuse.iter().map(FileGlob::as_str);
        let patterns = WELL_KNOWN.into_iter().chain(reused);
        add_patterns(&mut wanted, patterns, ("worktree.reuse", &mut log));
        let choice = Choice {
            top: &top,
            wanted: &wanted,
            worktrees: None,
        };
        let ignored = worktree.ignored()?;
        let mut chosen = choice.choose(&ignored, &mut log).paths;
        chosen.retain(|path| is_own_directory(&top, path));
        let mut precious = self.copied_into(session, &top, &ignored)?;
        precious.extend(self.databases_below(session, worktree.path())?);
        chosen.retain(|path| !precious.iter().any(|it| is_related(it, path)));
        if chosen.is_empty() {
            return Ok(chosen);
        }
        // A directory that holds nothing but ignored files is not ignored for that.
        let named: Vec<&Path> = chosen.iter().map(PathBuf::as_path).collect();
        let ignored = worktree.would_ignore(&named)?;
        chosen.retain(|path| ignored.contains(path));
        Ok(chosen)
    }

    /// What `worktree.copy` means in a worktree: it may have changed there since it came.
    fn copied_into(
        &self,
        session: &Session,
        top: &Directory,
        ignored: &[Ignored],
    ) -> Result<Vec<PathBuf>, EngineError> {
        let mut log = Log::default();
        let root = self.session(&session.id)?.repository.root;
        let Some(wanted) = self.wanted_files(&open(&root)?, &mut log) else {
            return Ok(Vec::new());
        };
        let choice = Choice {
            top,
            wanted: &wanted.copied,
            worktrees: None,
        };
        Ok(choice.choose(ignored, &mut log).paths)
    }

    /// Where below its worktree a session has database files, however the paths to them are spelled.
    fn databases_below(
        &self,
        session: &Session,
        worktree: &Path,
    ) -> Result<Vec<PathBuf>, EngineError> {
        let tops = [spellings(&session.worktree), spellings(worktree)].concat();
        let mut below = Vec::new();
        for database in self.leases(Some(&session.id))?.databases {
            if database.kind != DatabaseKind::Sqlite {
                continue;
            }
            for file in spellings(Path::new(&database.location)) {
                let found = tops.iter().filter_map(|top| file.strip_prefix(top).ok());
                below.extend(found.map(Path::to_owned));
            }
        }
        Ok(below)
    }

    /// Removes such a directory. What is left if that is cut off is made anew by the next set-up.
    pub(crate) fn remove_regenerable_in(&self, worktree: &Path, path: &Path) -> io::Result<()> {
        let top = Directory::open(worktree)?;
        let parent = top.below_here(path.parent().unwrap_or(Path::new("")))?;
        parent.remove_tree(last(path), &|| self.failpoints.pass("clear.removing"))
    }
}

/// What is mounted belongs to somebody else, whatever it is called.
fn is_own_directory(top: &Directory, path: &Path) -> bool {
    top.below_here(path).is_ok()
}

/// Whether one of them lies in the other.
fn is_related(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

fn last(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}
