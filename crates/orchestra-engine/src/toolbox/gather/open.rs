//! Opening what lies in a toolbox. Links are not followed, and what was opened is looked at, so that it does not matter what
//! somebody puts in its place meanwhile.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, openat, stat};
use rustix::io::Errno;

use crate::toolbox::manifest::Stamp;

const OPEN: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);
const DIRECTORY: OFlags = OPEN.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);

/// The top of a toolbox.
pub(super) struct Root(OwnedFd);

/// A file that may be taken.
pub(super) struct Checked {
    pub(super) file: File,
    pub(super) stamp: Stamp,
    pub(super) is_executable: bool,
}

impl Root {
    /// Opens a directory whose path has no links.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let root = open_plain(path).map_err(words)?;
        require_trusted(&fstat(&root).map_err(words)?)?;
        require_trusted_way(path)?;
        Ok(Self(root))
    }

    /// A directory below, every one on the way being looked at.
    pub(super) fn directory(&self, path: &Path) -> Result<OwnedFd, String> {
        let mut directory = openat(&self.0, ".", DIRECTORY, Mode::empty()).map_err(words)?;
        for part in path.components() {
            let Component::Normal(name) = part else {
                return Err("its path is none".to_owned());
            };
            directory = openat(&directory, name, DIRECTORY, Mode::empty()).map_err(words)?;
            require_trusted(&fstat(&directory).map_err(words)?)?;
        }
        Ok(directory)
    }

    /// A regular file below.
    pub(super) fn open_file(&self, path: &Path) -> Result<Checked, String> {
        let parent = self.directory(path.parent().unwrap_or(Path::new("")))?;
        let name = path.file_name().ok_or("it has no name")?;
        let file = openat(&parent, name, OPEN.union(OFlags::NOFOLLOW), Mode::empty());
        checked(file.map_err(words)?)
    }

    /// What a link leads to, as long as that is below.
    #[cfg(target_os = "linux")]
    pub(super) fn open_link(&self, path: &Path) -> Result<Checked, String> {
        use rustix::fs::{ResolveFlags, openat2};
        let below = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);
        match openat2(&self.0, path, OPEN, Mode::empty(), below) {
            Err(Errno::XDEV | Errno::LOOP) => {
                Err("it is a link that leads out of the toolbox".to_owned())
            }
            opened => checked(opened.map_err(words)?),
        }
    }

    /// Nobody can follow one here without being led out.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn open_link(&self, _path: &Path) -> Result<Checked, String> {
        Err("it is a link".to_owned())
    }
}

#[cfg(target_os = "linux")]
fn open_plain(path: &Path) -> Result<OwnedFd, Errno> {
    use rustix::fs::{CWD, ResolveFlags, openat2};
    openat2(
        CWD,
        path,
        DIRECTORY,
        Mode::empty(),
        ResolveFlags::NO_SYMLINKS,
    )
}

#[cfg(not(target_os = "linux"))]
fn open_plain(path: &Path) -> Result<OwnedFd, Errno> {
    rustix::fs::open(path, DIRECTORY, Mode::empty())
}

fn checked(file: OwnedFd) -> Result<Checked, String> {
    let facts = fstat(file.as_fd()).map_err(words)?;
    if FileType::from_raw_mode(facts.st_mode) != FileType::RegularFile {
        return Err("it is no file".to_owned());
    }
    require_trusted(&facts)?;
    let file = File::from(file);
    Ok(Checked {
        stamp: stamp(&file).map_err(|error| error.to_string())?,
        file,
        is_executable: facts.st_mode & 0o111 != 0,
    })
}

/// Others must not be able to change it, nor get rights by it.
fn require_trusted(facts: &Stat) -> Result<(), String> {
    let owner = rustix::process::geteuid().as_raw();
    let why = if facts.st_uid != owner && facts.st_uid != 0 {
        "it belongs to somebody else"
    } else if facts.st_mode & 0o022 != 0 {
        "others can write it (chmod go-w)"
    } else if facts.st_mode & 0o6000 != 0 && !is_directory(facts) {
        "it runs with the rights of its owner"
    } else {
        return Ok(());
    };
    Err(why.to_owned())
}

/// Whoever can write a directory on the way could put another one in the place of what was looked at. In one with the sticky
/// bit, such as `/tmp`, only the owner of a directory can.
fn require_trusted_way(path: &Path) -> Result<(), String> {
    let owner = rustix::process::geteuid().as_raw();
    for above in path.ancestors().skip(1) {
        let facts = stat(above).map_err(words)?;
        let is_sticky = facts.st_mode & 0o1000 != 0;
        let shown = above.display();
        if facts.st_uid != owner && facts.st_uid != 0 {
            return Err(format!("{shown}, where it lies, belongs to somebody else"));
        }
        if facts.st_mode & 0o022 != 0 && !is_sticky {
            return Err(format!(
                "others can write {shown}, where it lies (chmod go-w)"
            ));
        }
    }
    Ok(())
}

fn is_directory(facts: &Stat) -> bool {
    FileType::from_raw_mode(facts.st_mode) == FileType::Directory
}

/// The standard library has the same types for it on every system.
fn stamp(file: &File) -> std::io::Result<Stamp> {
    let facts = file.metadata()?;
    let seconds = i128::from(facts.mtime());
    Ok(Stamp {
        device: facts.dev(),
        inode: facts.ino(),
        size: facts.len(),
        modified_ns: seconds * 1_000_000_000 + i128::from(facts.mtime_nsec()),
    })
}

fn words(error: Errno) -> String {
    match error {
        Errno::LOOP | Errno::NOTDIR => "it is a link or lies below one".to_owned(),
        other => std::io::Error::from(other).to_string(),
    }
}
