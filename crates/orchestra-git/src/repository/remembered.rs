//! Repositories that were opened, remembered while everything that decided git's answer is as it was: commands open the same
//! one several times, and git takes two processes for it.
//!
//! Files are looked at after git read them, and count only if they had not changed for a while when it began. So a change
//! that git may have missed is never remembered.

use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Opened;
use crate::configuration::Sources;
use crate::program::Git;
use crate::racy::is_settled;

/// What nobody thought of is noticed after this long at the latest.
const LONGEST: Duration = Duration::from_secs(10);

/// Repositories by their top directory.
#[derive(Debug, Default)]
pub(crate) struct Openings {
    by_root: Mutex<HashMap<PathBuf, Remembered>>,
}

#[derive(Debug)]
struct Remembered {
    opened: Arc<Opened>,
    stamps: Vec<(PathBuf, Stamp)>,
    at: Instant,
}

impl Openings {
    /// The repository with this top directory, if it was opened just now and nothing is different since.
    pub(super) fn find(&self, root: &Path) -> Option<Arc<Opened>> {
        let mut known = self.known();
        let remembered = known.get(root)?;
        if remembered.is_true() {
            return Some(Arc::clone(&remembered.opened));
        }
        known.remove(root);
        None
    }

    fn keep(&self, remembered: Remembered) {
        let mut known = self.known();
        known.retain(|_, other| other.is_young());
        known.insert(remembered.opened.root.clone(), remembered);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<PathBuf, Remembered>> {
        self.by_root.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Git {
    /// Remembers a repository that git was asked about at this time, in seconds.
    pub(super) fn remember(&self, opened: &Arc<Opened>, sources: Sources, asked_at: u64) {
        let stamped = |path: PathBuf| {
            let stamp = Stamp::of(&path);
            (path, stamp)
        };
        let mut stamps: Vec<_> = sources.read.into_iter().map(stamped).collect();
        let is_gone = stamps.iter().any(|(_, stamp)| *stamp == Stamp::Missing);
        let others = sources.included.into_iter();
        let others = others.chain(self.places_that_decide(opened));
        stamps.extend(others.map(stamped));
        let mut all = stamps.iter();
        if !is_gone && all.all(|(_, stamp)| stamp.is_settled(asked_at)) {
            self.openings().keep(Remembered {
                opened: Arc::clone(opened),
                stamps,
                at: Instant::now(),
            });
        }
    }

    /// What makes the directory a repository, and where configuration may appear.
    fn places_that_decide(&self, opened: &Opened) -> Vec<PathBuf> {
        let (own, common) = (&opened.git_dir, &opened.common_dir);
        let mut places = vec![
            opened.root.clone(),
            opened.root.join(".git"),
            own.join("commondir"),
            own.join("config.worktree"),
            common.join("config"),
            common.join("config.worktree"),
            common.join("objects"),
            common.join("refs"),
        ];
        let environment = self.environment();
        places.extend(environment.home().map(|home| home.join(".gitconfig")));
        let settings = environment.config_home();
        places.extend(settings.map(|settings| settings.join("git/config")));
        places
    }
}

impl Remembered {
    fn is_young(&self) -> bool {
        self.at.elapsed() < LONGEST
    }

    fn is_true(&self) -> bool {
        let mut stamps = self.stamps.iter();
        self.is_young() && stamps.all(|(path, stamp)| *stamp == Stamp::of(path))
    }
}

/// What tells one state of a file from every other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stamp {
    Missing,
    /// git writes into its directories all the time: only which one it is and whose matters.
    Directory {
        place: (u64, u64),
        owner: (u32, u32),
        mode: u32,
    },
    File {
        place: (u64, u64),
        size: u64,
        modified: (i64, i64),
        changed: (i64, i64),
    },
}

impl Stamp {
    /// A link counts as what it leads to. What cannot be looked at is as good as missing: git could not read it either.
    fn of(path: &Path) -> Self {
        std::fs::metadata(path).map_or(Self::Missing, |facts| Self::new(&facts))
    }

    fn new(facts: &Metadata) -> Self {
        let place = (facts.dev(), facts.ino());
        if facts.is_dir() {
            let (owner, mode) = ((facts.uid(), facts.gid()), facts.mode());
            return Self::Directory { place, owner, mode };
        }
        Self::File {
            place,
            size: facts.size(),
            modified: (facts.mtime(), facts.mtime_nsec()),
            changed: (facts.ctime(), facts.ctime_nsec()),
        }
    }

    fn is_settled(&self, now: u64) -> bool {
        match self {
            Self::Missing | Self::Directory { .. } => true,
            Self::File {
                modified, changed, ..
            } => is_settled(u64::try_from(modified.0.max(changed.0)).unwrap_or(0), now),
        }
    }
}
