//! How much of a disk a directory takes, and what would be free again without it.

mod mounts;
mod sharing;
mod walk;

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::{AtPath, GitError};

/// The space that a directory and everything below it takes on its file system.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiskUse {
    /// What would be free without the directory; at most so much if it is not known what its files share.
    pub own_bytes: u64,
    /// What other files use as well: by hard links, or because one is a copy that shares its data with the other. Copies
    /// whose originals are in the same directory count here too.
    pub shared_bytes: u64,
    /// Whether it is known what files share without a link. Some file systems do not tell.
    pub is_sharing_known: bool,
    /// How many files there are, links included and directories not.
    pub files: u64,
    /// Whether there is a repository or another worktree inside.
    pub has_repository: bool,
    /// Whether something else is mounted inside, which is not counted.
    pub has_mount: bool,
    /// Whether everything was counted: time was enough, and nothing was closed to this user.
    pub is_complete: bool,
}

/// Counts for at most as long as `within`, on all cores. Links are not followed, and what else is mounted inside is left out.
///
/// # Errors
/// If there is no such directory.
pub fn disk_use(directory: &Path, within: Duration) -> Result<DiskUse, GitError> {
    let facts = directory.symlink_metadata().at(directory)?;
    if !facts.is_dir() {
        return Err(GitError::io(
            directory,
            std::io::ErrorKind::NotADirectory.into(),
        ));
    }
    let mut counted = walk::count(directory, &facts, Instant::now() + within);
    counted.add(&facts, Some(0));
    Ok(counted.total())
}

/// What was counted so far.
#[derive(Debug)]
struct Counted {
    use_of: DiskUse,
    /// Files with several names, by device and number: how many names were seen, how many there are, and the space.
    linked: HashMap<(u64, u64), Linked>,
}

#[derive(Debug, Clone, Copy)]
struct Linked {
    seen: u64,
    names: u64,
    bytes: u64,
    /// How much of the space files of other numbers have as well.
    shared: u64,
}

impl Counted {
    fn new() -> Self {
        Self {
            use_of: DiskUse {
                is_sharing_known: true,
                is_complete: true,
                ..DiskUse::default()
            },
            linked: HashMap::new(),
        }
    }

    /// Adds a file or a directory, of which other files have so much as well; `None` if that cannot be told.
    fn add(&mut self, facts: &Metadata, shared: Option<u64>) {
        let space = Space::of(facts);
        // A file system that compresses may count what is shared before that.
        let shared_bytes = shared.unwrap_or(0).min(space.bytes);
        self.use_of.is_sharing_known &= shared.is_some();
        self.use_of.files += u64::from(!facts.is_dir());
        if facts.is_dir() || space.names <= 1 {
            self.use_of.own_bytes += space.bytes - shared_bytes;
            self.use_of.shared_bytes += shared_bytes;
            return;
        }
        let linked = self.linked.entry(space.identity).or_insert(Linked {
            seen: 0,
            names: space.names,
            bytes: space.bytes,
            shared: shared_bytes,
        });
        linked.seen += 1;
    }

    fn merge(&mut self, other: Self) {
        self.use_of.own_bytes += other.use_of.own_bytes;
        self.use_of.shared_bytes += other.use_of.shared_bytes;
        self.use_of.files += other.use_of.files;
        self.use_of.is_sharing_known &= other.use_of.is_sharing_known;
        self.use_of.has_repository |= other.use_of.has_repository;
        self.use_of.has_mount |= other.use_of.has_mount;
        self.use_of.is_complete &= other.use_of.is_complete;
        for (identity, found) in other.linked {
            let linked = self.linked.entry(identity);
            linked
                .and_modify(|linked| linked.seen += found.seen)
                .or_insert(found);
        }
    }

    fn total(self) -> DiskUse {
        let mut total = self.use_of;
        for linked in self.linked.values() {
            if linked.seen >= linked.names {
                total.own_bytes += linked.bytes - linked.shared;
                total.shared_bytes += linked.shared;
            } else {
                total.shared_bytes += linked.bytes;
            }
        }
        total
    }
}

/// The space one file takes.
struct Space {
    bytes: u64,
    names: u64,
    identity: (u64, u64),
}

impl Space {
    #[cfg(unix)]
    fn of(facts: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            bytes: facts.blocks() * 512,
            names: facts.nlink(),
            identity: (facts.dev(), facts.ino()),
        }
    }

    #[cfg(not(unix))]
    fn of(facts: &Metadata) -> Self {
        Self {
            bytes: facts.len(),
            names: 1,
            identity: (0, 0),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn links_count_where_they_belong() {
        let top = tempfile::tempdir().unwrap();
        let (ours, theirs) = (top.path().join("ours"), top.path().join("theirs"));
        for directory in [&ours, &ours.join("deep/er"), &theirs] {
            std::fs::create_dir_all(directory).unwrap();
        }
        let write = |path: &Path, size: usize| std::fs::write(path, vec![1; size]).unwrap();
        write(&ours.join("deep/er/alone"), 100_000);
        write(&ours.join("twice"), 50_000);
        std::fs::hard_link(ours.join("twice"), ours.join("deep/twice")).unwrap();
        write(&theirs.join("lent"), 30_000);
        std::fs::hard_link(theirs.join("lent"), ours.join("lent")).unwrap();
        std::os::unix::fs::symlink(&theirs, ours.join("link")).unwrap();
        let space = |path: &Path| Space::of(&path.symlink_metadata().unwrap()).bytes;
        let found = disk_use(&ours, LONG).unwrap();
        let own = ["", "deep", "deep/er", "deep/er/alone", "twice", "link"];
        let expected = DiskUse {
            own_bytes: own.iter().map(|path| space(&ours.join(path))).sum(),
            shared_bytes: space(&theirs.join("lent")),
            files: 5,
            ..found
        };
        assert_eq!(found, expected);
        assert!(found.is_complete && !found.has_repository);
        let both = disk_use(top.path(), LONG).unwrap();
        assert_eq!((both.shared_bytes, both.files), (0, 6));
    }

    #[test]
    fn many_directories_are_shared_among_threads() {
        let top = tempfile::tempdir().unwrap();
        for number in 0..300 {
            let directory = top.path().join(format!("{}/{number}", number % 7));
            std::fs::create_dir_all(&directory).unwrap();
            std::fs::write(directory.join("file"), "x").unwrap();
        }
        let found = disk_use(top.path(), LONG).unwrap();
        assert_eq!((found.files, found.is_complete), (300, true));
    }

    #[test]
    fn a_repository_inside_is_told_of() {
        let top = tempfile::tempdir().unwrap();
        let inner = top.path().join("packages/linked");
        std::fs::create_dir_all(inner.join(".gitignored")).unwrap();
        assert!(!disk_use(top.path(), LONG).unwrap().has_repository);
        std::fs::write(inner.join(".git"), "gitdir: elsewhere").unwrap();
        assert!(disk_use(top.path(), LONG).unwrap().has_repository);
    }

    #[test]
    fn time_that_is_up_is_told() {
        let top = tempfile::tempdir().unwrap();
        std::fs::write(top.path().join("file"), "x").unwrap();
        let found = disk_use(top.path(), Duration::ZERO).unwrap();
        assert_eq!((found.files, found.is_complete), (0, false));
    }

    #[test]
    fn only_directories_are_counted() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join("file");
        std::fs::write(&file, "x").unwrap();
        assert_eq!(disk_use(&file, LONG).unwrap_err().code(), "git.io");
        assert_eq!(
            disk_use(&top.path().join("no"), LONG).unwrap_err().code(),
            "git.io"
        );
        std::os::unix::fs::symlink(top.path(), top.path().join("link")).unwrap();
        assert!(disk_use(&top.path().join("link"), LONG).is_err());
    }
}
