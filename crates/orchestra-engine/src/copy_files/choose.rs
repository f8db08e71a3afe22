//! Which of the ignored files and directories are wanted.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use orchestra_git::Ignored;

use super::LeftOut;
use super::directory::{Directory, Kind};
use super::log::Log;
use super::wanted::{Verdict, Wanted, is_env_file};

/// Looks through what is ignored in a checkout.
pub(super) struct Choice<'a> {
    /// The checkout.
    pub(super) top: &'a Directory,
    /// What is looked for.
    pub(super) wanted: &'a Wanted,
    /// Where worktrees are, which are never meant.
    pub(super) worktrees: Option<&'a Path>,
}

impl Choice<'_> {
    /// What is wanted, by path. A directory stands for everything in it.
    pub(super) fn choose(&self, ignored: &[Ignored], log: &mut Log) -> Vec<PathBuf> {
        let mut chosen: Vec<PathBuf> = Vec::new();
        for Ignored { path, is_directory } in ignored {
            if chosen.iter().any(|taken| path.starts_with(taken)) {
                continue;
            }
            if self.takes(path, *is_directory) {
                chosen.push(path.clone());
            } else if self.is_unnamed(path, *is_directory) {
                log.leave_out(path, LeftOut::NotNamed);
            } else if *is_directory && self.leads_on(path) {
                let found = self
                    .top
                    .below(path)
                    .map_err(LeftOut::at_source)
                    .and_then(|directory| self.look_into(&directory, path, log, &mut chosen));
                found.unwrap_or_else(|why| log.leave_out(path, why));
            }
        }
        chosen
    }

    fn look_into(
        &self,
        directory: &Directory,
        path: &Path,
        log: &mut Log,
        chosen: &mut Vec<PathBuf>,
    ) -> Result<(), LeftOut> {
        if is_repository(directory)? {
            return Err(LeftOut::NestedRepository);
        }
        for name in directory.names()? {
            let inner = path.join(&name);
            let is_directory = directory.kind(&name)? == Some(Kind::Directory);
            if self.takes(&inner, is_directory) {
                chosen.push(inner);
            } else if self.is_unnamed(&inner, is_directory) {
                log.leave_out(&inner, LeftOut::NotNamed);
            } else if is_directory && self.leads_on(&inner) {
                let found = directory
                    .child(&name)
                    .map_err(LeftOut::at_source)
                    .and_then(|child| self.look_into(&child, &inner, log, chosen));
                found.unwrap_or_else(|why| log.leave_out(&inner, why));
            }
        }
        Ok(())
    }

    fn takes(&self, path: &Path, is_directory: bool) -> bool {
        let verdict = match !is_directory && is_env_file(path) {
            true => self.wanted.verdict_on_env_file(path),
            false => self.wanted.verdict(path),
        };
        verdict == Verdict::Take && !self.is_of_worktrees(path)
    }

    /// Whether a pattern matches a file with secrets that it does not name.
    fn is_unnamed(&self, path: &Path, is_directory: bool) -> bool {
        let is_named = self.wanted.verdict_on_env_file(path) != Verdict::Silent;
        let is_matched = self.wanted.verdict(path) == Verdict::Take;
        !is_directory && is_env_file(path) && is_matched && !is_named
    }

    fn leads_on(&self, path: &Path) -> bool {
        let leads_on = self.wanted.reaches_into(path) && !self.wanted.refuses(path);
        leads_on && !self.is_of_worktrees(path)
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
