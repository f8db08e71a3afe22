//! Writes git's index: version 2 with the tree extension, as git itself does for a new worktree. What the system says about
//! each file is part of it, so that git need not read the files again.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::Stat;
use rustix::time::{ClockId, clock_gettime};

use super::listing::{Directory, Entry, Listing};
use crate::declined::Declined;
use crate::objects::ObjectError;

/// The largest length of a path that fits into the flags of an entry.
const LONGEST: usize = 0xfff;

/// A disk may have a clock of its own that is ahead of ours.
const MOST_WAITS: u32 = 20;

/// The lock file that keeps others from writing the index. It goes away with the value.
pub(super) struct IndexLock {
    index: PathBuf,
    path: PathBuf,
    file: File,
}

impl IndexLock {
    pub(super) fn take(index: &Path) -> Result<Self, Declined> {
        let path = index.with_extension("lock");
        let file = File::options().write(true).create_new(true).open(&path)?;
        Ok(Self {
            index: index.to_owned(),
            path,
            file,
        })
    }

    /// Puts the index in place in one step.
    pub(super) fn publish(
        mut self,
        listing: &Listing,
        facts: &[Option<Stat>],
    ) -> Result<(), Declined> {
        let bytes = index(listing, facts)?;
        wait_until_older(facts);
        self.file.write_all(&bytes)?;
        Ok(std::fs::rename(&self.path, &self.index)?)
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        // After publishing there is none any more.
        std::fs::remove_file(&self.path).unwrap_or_default();
    }
}

/// Waits for the next tick of the clock of files, a few milliseconds: one that was written in the same tick as the index
/// could change in it unnoticed, so git would read such files again each time.
fn wait_until_older(facts: &[Option<Stat>]) {
    let time = |facts: &Stat| (facts.st_mtime, facts.st_mtime_nsec as i64);
    let newest = facts.iter().flatten().map(time).max().unwrap_or_default();
    let now = || {
        let now = clock_gettime(ClockId::RealtimeCoarse);
        (now.tv_sec, now.tv_nsec as i64)
    };
    for _ in 0..MOST_WAITS {
        if now() > newest {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn index(listing: &Listing, facts: &[Option<Stat>]) -> Result<Vec<u8>, Declined> {
    let mut bytes = b"DIRC\0\0\0\x02".to_vec();
    bytes.extend(length(listing.entries.len())?);
    for (entry, facts) in listing.entries.iter().zip(facts) {
        let facts = facts.ok_or(Declined::Unsuited("a file was not written"))?;
        add_entry(&mut bytes, entry, &facts);
    }
    let mut trees = Vec::new();
    add_tree(&mut trees, &listing.directories, 0);
    bytes.extend(b"TREE");
    bytes.extend(length(trees.len())?);
    bytes.extend(trees);
    let mut hasher = gix_hash::hasher(gix_hash::Kind::Sha1);
    hasher.update(&bytes);
    let checksum = hasher.try_finalize().map_err(ObjectError::new)?;
    bytes.extend(checksum.as_slice());
    Ok(bytes)
}

fn add_entry(bytes: &mut Vec<u8>, entry: &Entry, facts: &Stat) {
    let start = bytes.len();
    // git keeps the low 32 bits of each.
    let numbers = [
        facts.st_ctime as u32,
        facts.st_ctime_nsec as u32,
        facts.st_mtime as u32,
        facts.st_mtime_nsec as u32,
        facts.st_dev as u32,
        facts.st_ino as u32,
        entry.mode as u32,
        facts.st_uid,
        facts.st_gid,
        facts.st_size as u32,
    ];
    bytes.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
    bytes.extend(entry.id.as_slice());
    bytes.extend((entry.path.len().min(LONGEST) as u16).to_be_bytes());
    bytes.extend(&entry.path);
    // One to eight NULs, to a multiple of eight.
    let end = start + ((bytes.len() - start + 8) & !7);
    bytes.resize(end, 0);
}

/// Which tree each directory of the index is: name, number of entries, number of children, id. Shorter names come first.
fn add_tree(bytes: &mut Vec<u8>, directories: &[Directory], number: usize) {
    let directory = &directories[number];
    bytes.extend(directory.name());
    bytes.push(0);
    bytes.extend(format!("{} {}\n", directory.size, directory.children.len()).bytes());
    bytes.extend(directory.id.as_slice());
    let mut children = directory.children.clone();
    children.sort_by_key(|child| {
        let name = directories[*child].name();
        (name.len(), name)
    });
    for child in children {
        add_tree(bytes, directories, child);
    }
}

fn length(length: usize) -> Result<[u8; 4], Declined> {
    let length = u32::try_from(length).map_err(|_| Declined::Unsuited("the index is too large"))?;
    Ok(length.to_be_bytes())
}
