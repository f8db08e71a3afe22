//! Fills a new directory with files that share their data with the originals, on several threads: whoever is free takes the
//! next directory. Making so many small files is work for the processor, not for the disk.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use orchestra_process::{WorkQueue, on_cores};

use super::LeftOut;
use super::directory::{Directory, Kind};
use super::log::Log;
use super::transfer::{How, Part, Route, Transfer};

/// More threads wait for the same file system.
const MOST_THREADS: usize = 8;

/// A directory and the new one that gets its files.
pub(super) struct Tree<'a> {
    pub(super) source: &'a Directory,
    pub(super) target: &'a Directory,
    /// Where both are, below the top of the repository.
    pub(super) path: &'a Path,
}

impl Tree<'_> {
    /// Fills all of it. What cannot be shared for a reason of its own is left out; the first reason that concerns everything
    /// ends it.
    pub(super) fn fill(&self, route: Route<'_>) -> Result<Vec<(Part, Log)>, LeftOut> {
        let directories = WorkQueue::new(PathBuf::new());
        // All threads are waited for, whatever the first one says.
        let parts = on_cores(MOST_THREADS, || self.work(&directories, route));
        parts.into_iter().collect()
    }

    fn work(
        &self,
        directories: &WorkQueue<PathBuf>,
        route: Route<'_>,
    ) -> Result<(Part, Log), LeftOut> {
        let mut log = Log::default();
        let mut transfer = Transfer::new(route, How::Share, &mut log);
        let end = directories.take_each(|directory| {
            let filled = route
                .go_on()
                .and_then(|()| self.fill_one(&mut transfer, &directory));
            let filled = match filled {
                Err(why) => self.without(&mut transfer, &directory, why),
                filled => filled,
            };
            match filled {
                Ok(below) => ControlFlow::Continue(below),
                Err(why) => ControlFlow::Break(why),
            }
        });
        if let ControlFlow::Break(why) = end {
            return Err(why);
        }
        let part = transfer.into_part();
        Ok((part, log))
    }

    /// Fills one directory and makes those in it, which others fill. Answers these.
    fn fill_one(
        &self,
        transfer: &mut Transfer<'_>,
        directory: &Path,
    ) -> Result<Vec<PathBuf>, LeftOut> {
        let source = self.source.below(directory).map_err(LeftOut::at_source)?;
        let target = self.target.below(directory)?;
        let entries = source.entries()?;
        if entries.iter().any(|(name, _)| name == ".git") {
            return Err(LeftOut::NestedRepository);
        }
        let mut below = Vec::new();
        for (name, kind) in entries {
            let path = self.path.join(directory).join(&name);
            if transfer.is_refused(&path) {
                continue;
            }
            let made = match kind {
                Kind::Directory => target.make_child(&name).map_err(LeftOut::from),
                _ => transfer.leaf(&source, &target, &path, kind),
            };
            match made {
                Err(why) if why.concerns_all() => return Err(why),
                Err(why) => transfer.leave_out(&path, why),
                Ok(()) if kind == Kind::Directory => below.push(directory.join(name)),
                Ok(()) => {}
            }
        }
        // The whole is marked as unfinished until all of it is there, so its parts need not be.
        if directory != Path::new("") {
            target.finish(&source)?;
        }
        Ok(below)
    }

    /// Goes on without a directory in it: an empty one in its place would look like one that was filled.
    fn without(
        &self,
        transfer: &mut Transfer<'_>,
        directory: &Path,
        why: LeftOut,
    ) -> Result<Vec<PathBuf>, LeftOut> {
        match (directory.parent(), directory.file_name()) {
            (Some(parent), Some(name)) if !why.concerns_all() => {
                self.target.below(parent)?.remove_tree(name, &|| ())?;
                transfer.leave_out(&self.path.join(directory), why);
                Ok(Vec::new())
            }
            _ => Err(why),
        }
    }
}
