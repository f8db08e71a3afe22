//! Which of the ignored files and directories are wanted.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use orchestra_git::Ignored;

use super::LeftOut;
use super::directory::{Directory, Kind};
use super::log::Log;
use super::wanted::{Matched, Verdict, Wanted, is_env_file};

/// Looks through what is ignored in a checkout.
pub(super) struct Choice<'a> {
    /// The checkout.
    pub(super) top: &'a Directory,
    /// What is looked for.
    pub(super) wanted: &'a Wanted,
    /// Where worktrees are, which are never meant.
    pub(super) worktrees: Option<&'a Path>,
}

/// What was found to be wanted.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// By path. A directory stands for everything in it.
    pub(super) paths: Vec<PathBuf>,
    /// The patterns that matched anything, wanted or not.
    pub(super) matched: Matched,
}

impl Choice<'_> {
    /// What is wanted.
    pub(super) fn choose(&self, ignored: &[Ignored], log: &mut Log) -> Chosen {
        let mut chosen = Chosen::default();
        for Ignored { path, is_directory } in ignored {
            let is_taken = chosen.paths.iter().any(|taken| path.starts_with(taken));
            if !is_taken && self.leads_on(path, *is_directory, log, &mut chosen) {
                let found = self
                    .top
                    .below(path)
                    .map_err(LeftOut::at_source)
                    .and_then(|directory| self.look_into(&directory, path, log, &mut chosen));
                found.unwrap_or_else(|why| log.leave_out(path, why));
            }
        }
        self.leave_out_special(log, &mut chosen);
        chosen
    }

    /// Names pipes, sockets and devices that are wanted. Git speaks of none of them, so they are looked for where patterns say.
    fn leave_out_special(&self, log: &mut Log, chosen: &mut Chosen) {
        for path in self.wanted.directories() {
            // What is not there, or cannot be read, has nothing to name.
            let entries = self.top.below(&path).and_then(|it| it.entries());
            for (name, kind) in entries.unwrap_or_default() {
                let path = path.join(name);
                if let Kind::Special(what) = kind
                    && self.takes(&path, false)
                {
                    self.wanted.note(&path, &mut chosen.matched);
                    log.leave_out(&path, LeftOut::Special(what));
                }
            }
        }
    }

    fn look_into(
        &self,
        directory: &Directory,
        path: &Path,
        log: &mut Log,
        chosen: &mut Chosen,
    ) -> Result<(), LeftOut> {
        if is_repository(directory)? {
            return Err(LeftOut::NestedRepository);
        }
        for name in directory.names()? {
            let inner = path.join(&name);
            let is_directory = directory.kind(&name)? == Some(Kind::Directory);
            if self.leads_on(&inner, is_directory, log, chosen) {
                let found = directory
                    .child(&name)
                    .map_err(LeftOut::at_source)
                    .and_then(|child| self.look_into(&child, &inner, log, chosen));
                found.unwrap_or_else(|why| log.leave_out(&inner, why));
            }
        }
        Ok(())
    }

    /// Takes what is wanted. Otherwise answers whether something in it may be.
    fn leads_on(
        &self,
        path: &Path,
        is_directory: bool,
        log: &mut Log,
        chosen: &mut Chosen,
    ) -> bool {
        if self.is_of_worktrees(path) {
            return false;
        }
        self.wanted.note(path, &mut chosen.matched);
        if self.takes(path, is_directory) {
            chosen.paths.push(path.to_owned());
            return false;
        }
        if self.is_unnamed(path, is_directory) {
            log.leave_out(path, LeftOut::NotNamed);
        }
        is_directory && self.wanted.reaches_into(path) && !self.wanted.refuses(path)
    }

    fn takes(&self, path: &Path, is_directory: bool) -> bool {
        let verdict = match !is_directory && is_env_file(path) {
            true => self.wanted.verdict_on_env_file(path),
            false => self.wanted.verdict(path),
        };
        verdict == Verdict::Take
    }

    /// Whether a pattern matches a file with secrets that it does not name.
    fn is_unnamed(&self, path: &Path, is_directory: bool) -> bool {
        let is_named = self.wanted.verdict_on_env_file(path) != Verdict::Silent;
        let is_matched = self.wanted.verdict(path) == Verdict::Take;
        !is_directory && is_env_file(path) && is_matched && !is_named
    }

    fn is_of_worktrees(&self, path: &Path) -> bool {
        self.worktrees
            .is_some_and(|folder| path.starts_with(folder))
    }
}

/// Whether git has a repository or another worktree there.
pub(super) fn is_repository(directory: &Directory) -> io::Result<bool> {
    Ok(directory.kind(OsStr::new(".git"))?.is_some())
}
