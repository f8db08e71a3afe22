//! Copies files and directories from one open directory into another.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use orchestra_core::visible_line;

use crate::failpoint::Failpoints;

use super::LeftOut;
use super::choose::is_repository;
use super::directory::{Directory, Kind, Original};
use super::env_file;
use super::link::in_worktree;
use super::log::{Log, name};
use super::share::Tree;
use super::wanted::{Verdict, Wanted, is_env_file};

/// More than any env file that people write.
const LARGEST_ENV_FILE: u64 = 1 << 20;

/// How files get their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Byte by byte.
    Copy,
    /// By sharing the data on the disk.
    Share,
}

/// From where to where, and what all copies share.
#[derive(Clone, Copy)]
pub(super) struct Route<'a> {
    /// The main checkout.
    pub(super) from: &'a Directory,
    /// Where that is, in every way that a link may say it.
    pub(super) tops: &'a [PathBuf],
    /// The worktree.
    pub(super) to: &'a Directory,
    /// Where worktrees are, which are nobody's to copy.
    pub(super) worktrees: Option<&'a Path>,
    /// What is to be brought.
    pub(super) wanted: &'a Wanted,
    /// Which env files may come along.
    pub(super) env_files: &'a Wanted,
    /// New values of variables in env files.
    pub(super) rewrites: &'a BTreeMap<String, String>,
    pub(super) failpoints: &'a Failpoints,
    /// Whether somebody wants it to end.
    pub(super) is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl Route<'_> {
    /// Refuses to go on once somebody wants it to end.
    pub(super) fn go_on(&self) -> Result<(), LeftOut> {
        match (self.is_stopped)() {
            true => Err(LeftOut::Stopped),
            false => Ok(()),
        }
    }
}

/// Copies along a route.
pub(super) struct Transfer<'a> {
    route: Route<'a>,
    how: How,
    log: &'a mut Log,
    /// What is brought now.
    part: Part,
    /// Variables that got new values in anything.
    ever_rewritten: BTreeSet<String>,
    /// Env files that were met in anything and that a pattern names.
    ever_named: BTreeSet<PathBuf>,
    had_env_file: bool,
}

/// What was brought at once, or a part of it.
#[derive(Debug, Default)]
pub(super) struct Part {
    files: u64,
    /// Variables that got new values.
    rewritten: BTreeSet<String>,
    /// Env files that a pattern names.
    named: BTreeSet<PathBuf>,
}

impl<'a> Transfer<'a> {
    pub(super) fn new(route: Route<'a>, how: How, log: &'a mut Log) -> Self {
        Self {
            route,
            how,
            log,
            part: Part::default(),
            ever_rewritten: BTreeSet::new(),
            ever_named: BTreeSet::new(),
            had_env_file: false,
        }
    }

    /// Brings a file or a directory to the same path, and says so.
    pub(super) fn bring(&mut self, path: &Path) {
        let brought = match self.how {
            How::Copy => self.copy(path),
            How::Share => self.share(path),
        };
        match brought {
            Ok(kind) => {
                self.log.bring(path);
                self.say(path, kind);
            }
            Err(why) => self.log.leave_out(path, why),
        }
        let part = std::mem::take(&mut self.part);
        self.ever_rewritten.extend(part.rewritten);
        self.ever_named.extend(part.named);
    }

    /// What was brought, for whoever puts parts together.
    pub(super) fn into_part(self) -> Part {
        self.part
    }

    pub(super) fn leave_out(&mut self, path: &Path, why: LeftOut) {
        self.log.leave_out(path, why);
    }

    /// Whether something in a directory that is copied is not meant.
    pub(super) fn is_refused(&self, path: &Path) -> bool {
        self.route.worktrees == Some(path) || self.route.wanted.refuses(path)
    }

    /// Brings what is no directory.
    pub(super) fn leaf(
        &mut self,
        from: &Directory,
        to: &Directory,
        path: &Path,
        kind: Kind,
    ) -> Result<(), LeftOut> {
        match kind {
            Kind::File => self.file(from, to, path),
            Kind::Link => self.link(from, to, path),
            Kind::Special(what) => Err(LeftOut::Special(what)),
            Kind::Directory => Err(LeftOut::Changed),
        }
    }

    /// Names variables that were to be rewritten and that no env file has. Those of dependencies do not count. Answers the env
    /// files that a pattern names.
    pub(super) fn finish(self) -> BTreeSet<PathBuf> {
        let had_any = self.had_env_file && self.how == How::Copy;
        for variable in self.route.rewrites.keys().filter(|_| had_any) {
            if !self.ever_rewritten.contains(variable) {
                self.log.say(format!(
                    "worktree.rewrite.{variable} changed nothing: no copied env file sets {variable}"
                ));
            }
        }
        self.ever_named
    }

    fn say(&mut self, path: &Path, kind: Kind) {
        let (path, files) = (name(path), self.part.files);
        let line = match (self.how, kind) {
            (How::Share, _) => format!("reused {path}: {files} file(s) that share their data"),
            (How::Copy, Kind::Directory) if files == 0 => return,
            (How::Copy, Kind::Directory) => format!("copied {path}: {files} file(s)"),
            (How::Copy, _) => format!("copied {path}"),
        };
        let variables: Vec<_> = self.part.rewritten.iter().map(String::as_str).collect();
        self.log.say(match variables.is_empty() {
            true => line,
            false => format!("{line}, with its own {}", variables.join(", ")),
        });
    }

    fn copy(&mut self, path: &Path) -> Result<Kind, LeftOut> {
        let (from, to) = self.parents(path)?;
        self.entry(&from, &to, path)
    }

    /// A directory is there whole afterwards, or nothing of it: what finds it must not have to ask.
    fn share(&mut self, path: &Path) -> Result<Kind, LeftOut> {
        let (from, to) = self.parents(path)?;
        let name = last(path);
        if from.kind(name)? != Some(Kind::Directory) {
            return Err(LeftOut::NotADirectory);
        }
        if to.is_unfinished(name)? {
            to.remove_tree(name, &|| ())?;
        }
        if to.kind(name)?.is_some() {
            return Err(LeftOut::IsThere);
        }
        let source = from.child(name).map_err(LeftOut::at_source)?;
        if is_repository(&source)? {
            return Err(LeftOut::NestedRepository);
        }
        let target = self.new_directory(&to, name)?;
        let tree = Tree {
            source: &source,
            target: &target,
            path,
        };
        let shared = tree.fill(self.route).and_then(|parts| {
            // Once for all of it: a tree of dependencies has too many files to wait for each.
            target.sync_below()?;
            target.finish(&source)?;
            Ok(parts)
        });
        match shared {
            Ok(parts) => self.put_together(parts),
            Err(why) => {
                to.remove_tree(name, &|| ())?;
                return Err(why);
            }
        }
        Ok(Kind::Directory)
    }

    fn put_together(&mut self, parts: Vec<(Part, Log)>) {
        for (part, log) in parts {
            self.part.files += part.files;
            self.part.rewritten.extend(part.rewritten);
            self.part.named.extend(part.named);
            self.log.absorb(log);
        }
    }

    /// The directories on both sides; missing ones are made in the worktree.
    fn parents(&self, path: &Path) -> Result<(Directory, Directory), LeftOut> {
        let mut from = self.route.from.below(Path::new(""))?;
        let mut to = self.route.to.below(Path::new(""))?;
        for name in path.parent().into_iter().flat_map(Path::iter) {
            let inner = from.child(name).map_err(LeftOut::at_source)?;
            (to, from) = match to.kind(name)? {
                Some(_) => (to.child(name)?, inner),
                None => {
                    let made = self.new_directory(&to, name)?;
                    made.finish(&inner)?;
                    (made, inner)
                }
            };
        }
        Ok((from, to))
    }

    fn new_directory(&self, to: &Directory, name: &OsStr) -> io::Result<Directory> {
        to.new_child(name, &|| self.route.failpoints.pass("copy.directory_made"))
    }

    fn entry(&mut self, from: &Directory, to: &Directory, path: &Path) -> Result<Kind, LeftOut> {
        self.route.go_on()?;
        let kind = from.kind(last(path))?.ok_or(LeftOut::Gone)?;
        match kind {
            Kind::Directory => self.directory(from, to, path)?,
            _ => self.leaf(from, to, path, kind)?,
        }
        Ok(kind)
    }

    fn directory(&mut self, from: &Directory, to: &Directory, path: &Path) -> Result<(), LeftOut> {
        let name = last(path);
        let source = from.child(name).map_err(LeftOut::at_source)?;
        if is_repository(&source)? {
            return Err(LeftOut::NestedRepository);
        }
        let is_ours = to.kind(name)?.is_none() || to.is_unfinished(name)?;
        let target = match to.kind(name)? {
            Some(_) => to.child(name)?,
            None => self.new_directory(to, name)?,
        };
        for inner in source.names()? {
            self.inner(&source, &target, &path.join(inner))?;
        }
        if is_ours {
            target.finish(&source)?;
        }
        Ok(())
    }

    /// Something in a directory that is copied. What cannot be copied is noted and the rest goes on.
    fn inner(&mut self, from: &Directory, to: &Directory, path: &Path) -> Result<(), LeftOut> {
        if self.is_refused(path) {
            return Ok(());
        }
        match self.entry(from, to, path) {
            Err(why) if why.concerns_all() => Err(why),
            Err(why) => {
                self.log.leave_out(path, why);
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }

    fn link(&mut self, from: &Directory, to: &Directory, path: &Path) -> Result<(), LeftOut> {
        let target = from.link_target(last(path))?;
        let target = in_worktree(path, &target, self.route.tops).ok_or(LeftOut::LeadsOut)?;
        to.new_link(&target, last(path))?;
        self.part.files += 1;
        Ok(())
    }

    fn file(&mut self, from: &Directory, to: &Directory, path: &Path) -> Result<(), LeftOut> {
        let is_env_file = is_env_file(path);
        if is_env_file && self.route.env_files.verdict_on_env_file(path) != Verdict::Take {
            return Err(LeftOut::NotNamed);
        }
        if is_env_file {
            self.part.named.insert(path.to_owned());
        }
        let name = last(path);
        let source = from.original(name).map_err(LeftOut::at_source)?;
        // What is shared goes into a directory that was just made.
        if self.how == How::Copy && to.is_unfinished(name)? {
            to.remove_file(name)?;
        }
        match (self.how, is_env_file) {
            (_, true) => self.write_env_file(&source, to, path)?,
            (How::Copy, false) => self.write(to, name, &source, |target| {
                io::copy(&mut &source.file, target).map(drop)
            })?,
            (How::Share, false) => {
                let target = to.new_clone(name, &source)?;
                source.finish(&target)?;
            }
        }
        self.part.files += 1;
        Ok(())
    }

    /// With its new values at once: the values of the main checkout are never in a worktree.
    fn write_env_file(
        &mut self,
        source: &Original,
        to: &Directory,
        path: &Path,
    ) -> Result<(), LeftOut> {
        let name = last(path);
        let mut text = Vec::new();
        let file = &source.file;
        file.take(LARGEST_ENV_FILE + 1).read_to_end(&mut text)?;
        if text.len() as u64 > LARGEST_ENV_FILE {
            return Err(LeftOut::TooLarge);
        }
        let (text, names) = env_file::rewrite(&text, self.route.rewrites);
        match find_copy(to, name, &source.file)? {
            Some(Copied::AsMade(copy)) if copy != text => to.remove_file(name)?,
            Some(Copied::Changed(copy)) => self.tell_other_values(path, &copy),
            _ => {}
        }
        self.write(to, name, source, |target| target.write_all(&text))?;
        self.had_env_file = true;
        self.part.rewritten.extend(names);
        Ok(())
    }

    /// A copy that somebody changed is theirs, but a port in it may be another session's by now.
    fn tell_other_values(&mut self, path: &Path, copy: &[u8]) {
        let rewrites = self.route.rewrites;
        for (variable, has) in env_file::differing(copy, rewrites) {
            self.log.warn(format!(
                "{} was changed and stays as it is: it sets {variable} to {}, and worktree.rewrite.{variable} gives {}",
                name(path),
                visible_line(&has),
                visible_line(&rewrites[&variable])
            ));
        }
    }

    /// A file that could not be written whole is removed at once. Its data is on the disk before it looks whole: after a power
    /// cut, an empty one would count as there for ever.
    fn write(
        &self,
        to: &Directory,
        name: &OsStr,
        source: &Original,
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), LeftOut> {
        let mut target = to.new_file(name)?;
        let written = fill(&mut target).and_then(|()| {
            target.sync_data()?;
            self.route.failpoints.pass("copy.unfinished");
            source.finish(&target)
        });
        if written.is_err() {
            to.remove_file(name)?;
        }
        Ok(written?)
    }
}

/// The content of an env file that is there already.
enum Copied {
    /// Nobody touched it since it was made.
    AsMade(Vec<u8>),
    /// Somebody changed it since, or made it: it is theirs.
    Changed(Vec<u8>),
}

fn find_copy(to: &Directory, name: &OsStr, source: &File) -> io::Result<Option<Copied>> {
    let Ok(there) = to.file(name) else {
        return Ok(None);
    };
    let is_as_made = there.metadata()?.modified()? == source.metadata()?.modified()?;
    let mut content = Vec::new();
    there.take(LARGEST_ENV_FILE + 1).read_to_end(&mut content)?;
    Ok(Some(match is_as_made {
        true => Copied::AsMade(content),
        false => Copied::Changed(content),
    }))
}

fn last(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}
