//! Open directories by their descriptors.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
use rustix::fs::ResolveFlags;
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, Stat, Timespec, Timestamps};
use rustix::io::Errno;

use super::Kind;

const OPEN: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC);
const DIRECTORY: OFlags = OPEN.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);
/// A pipe in the place of a file must not keep us waiting, nor a terminal become ours.
const FILE: OFlags = OPEN
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);
const NEW_FILE: OFlags = OFlags::RDWR
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// What a file has until it is whole, so that nobody takes a part for the whole and the next attempt begins anew.
const UNFINISHED_FILE: Mode = Mode::WUSR;
/// The same for a directory.
const UNFINISHED_DIRECTORY: Mode = Mode::RWXU.union(Mode::SVTX);
const PERMISSIONS: Mode = Mode::RWXU.union(Mode::RWXG).union(Mode::RWXO);

/// An open directory.
#[derive(Debug)]
pub(crate) struct Directory(OwnedFd);

/// A file to be read, and what a copy of it takes over.
#[derive(Debug)]
pub(crate) struct Original {
    pub(crate) file: File,
    facts: Stat,
}

impl Original {
    /// Gives a copy the permissions and the time of what it was made from.
    pub(crate) fn finish(&self, made: &File) -> io::Result<()> {
        finish(made, &self.facts)
    }

    /// Gives a new version of it the permissions, not the time.
    pub(crate) fn give_permissions(&self, made: &File) -> io::Result<()> {
        let permissions = Mode::from_raw_mode(self.facts.st_mode) & PERMISSIONS;
        Ok(fs::fchmod(made, permissions)?)
    }
}

impl Directory {
    /// Opens the directory at a path. Only its last name must not be a link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(fs::open(path, DIRECTORY, Mode::empty())?))
    }

    /// The directory of this name.
    pub(crate) fn child(&self, name: &OsStr) -> io::Result<Self> {
        let child = fs::openat(&self.0, name, DIRECTORY, Mode::empty());
        Ok(Self(child.map_err(not_followed)?))
    }

    /// The directory at a path below. No link on the way is followed.
    pub(crate) fn below(&self, path: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(opened) = self.below_at_once(path) {
            return opened;
        }
        let mut directory = self.child(OsStr::new("."))?;
        for name in path.iter() {
            directory = directory.child(name)?;
        }
        Ok(directory)
    }

    /// The directory at a path below, if nothing else is mounted on the way or there.
    pub(crate) fn below_here(&self, path: &Path) -> io::Result<Self> {
        let mut directory = self.child(OsStr::new("."))?;
        for name in path.iter() {
            directory = directory.child_here(name)?;
        }
        Ok(directory)
    }

    /// The directory of this name, if nothing else is mounted there.
    fn child_here(&self, name: &OsStr) -> io::Result<Self> {
        // The device alone does not tell of a directory of the same file system.
        #[cfg(target_os = "linux")]
        match self.open_within(Path::new(name), ResolveFlags::NO_XDEV) {
            Some(Err(error)) if error.kind() == io::ErrorKind::CrossesDevices => {
                return Err(mounted());
            }
            Some(opened) => return opened,
            None => {}
        }
        let child = self.child(name)?;
        match fs::fstat(&child.0)?.st_dev == fs::fstat(&self.0)?.st_dev {
            true => Ok(child),
            false => Err(mounted()),
        }
    }

    #[cfg(target_os = "linux")]
    fn below_at_once(&self, path: &Path) -> Option<io::Result<Self>> {
        self.open_within(path, ResolveFlags::empty())
    }

    /// `None` if this system cannot do that, or does not let us.
    #[cfg(target_os = "linux")]
    fn open_within(&self, path: &Path, more: ResolveFlags) -> Option<io::Result<Self>> {
        let path = match path.as_os_str().is_empty() {
            true => Path::new("."),
            false => path,
        };
        let limits = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | more;
        match fs::openat2(&self.0, path, DIRECTORY, Mode::empty(), limits) {
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => None,
            opened => Some(opened.map(Self).map_err(not_followed)),
        }
    }

    /// Everything in it, with what it is.
    pub(crate) fn entries(&self) -> io::Result<Vec<(OsString, Kind)>> {
        let mut entries = Vec::new();
        for entry in fs::Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            let name = OsString::from_vec(name.to_owned());
            let kind = match entry.file_type() {
                FileType::Unknown => self.kind(&name)?,
                known => Some(kind_of(known)),
            };
            entries.extend(kind.map(|kind| (name, kind)));
        }
        Ok(entries)
    }

    /// Everything in it, in order.
    pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in fs::Dir::read_from(&self.0)? {
            let name = entry?.file_name().to_bytes().to_owned();
            if !matches!(name.as_slice(), b"." | b"..") {
                names.push(OsString::from_vec(name));
            }
        }
        names.sort();
        Ok(names)
    }

    /// What a name stands for; `None` if for nothing.
    pub(crate) fn kind(&self, name: &OsStr) -> io::Result<Option<Kind>> {
        let kind = |stat: Stat| kind_of(FileType::from_raw_mode(stat.st_mode));
        Ok(self.stat(name)?.map(kind))
    }

    /// How long a file is; `None` if it is gone.
    pub(crate) fn length(&self, name: &OsStr) -> io::Result<Option<u64>> {
        let length = |stat: Stat| u64::try_from(stat.st_size).ok();
        Ok(self.stat(name)?.and_then(length))
    }

    /// Whether somebody was cut off while this was made. A file must not be open to be read for that.
    pub(crate) fn is_unfinished(&self, name: &OsStr) -> io::Result<bool> {
        Ok(self.stat(name)?.is_some_and(|stat| {
            let mode = Mode::from_raw_mode(stat.st_mode);
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => mode == UNFINISHED_FILE,
                FileType::Directory => mode == UNFINISHED_DIRECTORY,
                _ => false,
            }
        }))
    }

    pub(crate) fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = fs::readlinkat(&self.0, name, Vec::<u8>::new())?;
        Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// The file of this name, to be read; nothing else is opened.
    pub(crate) fn file(&self, name: &OsStr) -> io::Result<File> {
        Ok(self.original(name)?.file)
    }

    /// The same, with what a copy takes over.
    pub(crate) fn original(&self, name: &OsStr) -> io::Result<Original> {
        let file = fs::openat(&self.0, name, FILE, Mode::empty()).map_err(not_followed)?;
        let facts = fs::fstat(&file)?;
        match FileType::from_raw_mode(facts.st_mode) {
            FileType::RegularFile => Ok(Original {
                file: file.into(),
                facts,
            }),
            _ => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    /// A new file, which is unfinished until it gets other permissions, as by [`Original::finish`].
    pub(crate) fn new_file(&self, name: &OsStr) -> io::Result<File> {
        let file = fs::openat(&self.0, name, NEW_FILE, UNFINISHED_FILE)?;
        Ok(file.into())
    }

    /// A new file that shares its data with another one, unfinished until [`Original::finish`]. The error is `Unsupported` if
    /// the file system cannot do that, or not for these two.
    #[cfg(target_os = "linux")]
    pub(crate) fn new_clone(&self, name: &OsStr, of: &Original) -> io::Result<File> {
        let file = self.new_file(name)?;
        match fs::ioctl_ficlone(&file, &of.file) {
            Ok(()) => Ok(file),
            Err(error) => {
                self.remove_file(name)?;
                Err(not_shared(error))
            }
        }
    }

    /// A new file that shares its data with another one.
    #[cfg(target_os = "macos")]
    pub(crate) fn new_clone(&self, name: &OsStr, of: &Original) -> io::Result<File> {
        let cloned = fs::fclonefileat(&of.file, &self.0, name, fs::CloneFlags::empty());
        cloned.map_err(not_shared)?;
        self.file(name)
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    pub(crate) fn new_clone(&self, _name: &OsStr, _of: &Original) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// A new directory, which is unfinished until [`Self::finish`].
    pub(crate) fn new_child(&self, name: &OsStr, when_made: &dyn Fn()) -> io::Result<Self> {
        fs::mkdirat(&self.0, name, UNFINISHED_DIRECTORY)?;
        when_made();
        let child = self.child(name)?;
        // Some systems, and some masks of the process, do not give all of it at once.
        fs::fchmod(&child.0, UNFINISHED_DIRECTORY)?;
        Ok(child)
    }

    /// A new directory, as a part of one that is unfinished.
    pub(crate) fn make_child(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::mkdirat(&self.0, name, Mode::RWXU)?)
    }

    pub(crate) fn new_link(&self, target: &Path, name: &OsStr) -> io::Result<()> {
        Ok(fs::symlinkat(target, &self.0, name)?)
    }

    /// Waits until everything below is on the disk.
    #[cfg(target_os = "linux")]
    pub(crate) fn sync_below(&self) -> io::Result<()> {
        Ok(fs::syncfs(&self.0)?)
    }

    /// The directory at least, where a system cannot wait for one file system.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn sync_below(&self) -> io::Result<()> {
        Ok(fs::fsync(&self.0)?)
    }

    /// Gives this directory the permissions and the time of what it was made from, once everything is in it.
    pub(crate) fn finish(&self, like: &Self) -> io::Result<()> {
        finish(&self.0, &fs::fstat(&like.0)?)
    }

    /// Gives a file another name in this directory. Whatever has that name is replaced.
    pub(crate) fn rename(&self, name: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(&self.0, name, &self.0, to)?)
    }

    /// Lets two files change their names. The error is `Unsupported` if the system or the file system cannot do that.
    #[cfg(target_os = "linux")]
    pub(crate) fn exchange(&self, one: &OsStr, other: &OsStr) -> io::Result<()> {
        match fs::renameat_with(&self.0, one, &self.0, other, fs::RenameFlags::EXCHANGE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                Err(io::ErrorKind::Unsupported.into())
            }
            exchanged => Ok(exchanged?),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn exchange(&self, _one: &OsStr, _other: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Gives a file another name that nothing has; the error is `AlreadyExists` if something does.
    pub(crate) fn rename_new(&self, name: &OsStr, to: &OsStr) -> io::Result<()> {
        match self.rename_if_free(name, to) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                fs::linkat(&self.0, name, &self.0, to, AtFlags::empty())?;
                self.remove_file(name)
            }
            renamed => Ok(renamed?),
        }
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn rename_if_free(&self, name: &OsStr, to: &OsStr) -> rustix::io::Result<()> {
        fs::renameat_with(&self.0, name, &self.0, to, fs::RenameFlags::NOREPLACE)
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    fn rename_if_free(&self, _name: &OsStr, _to: &OsStr) -> rustix::io::Result<()> {
        Err(Errno::NOSYS)
    }

    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes a directory with everything in it, or nothing if something else is mounted inside: that is not ours. It is
    /// unfinished meanwhile, so that nobody takes a part for the whole.
    pub(crate) fn remove_tree(&self, name: &OsStr, after_each: &dyn Fn()) -> io::Result<()> {
        self.require_no_mount(name)?;
        self.remove_within(name, after_each)
    }

    fn require_no_mount(&self, name: &OsStr) -> io::Result<()> {
        let child = self.child_here(name)?;
        for (inner, kind) in child.entries()? {
            if kind == Kind::Directory {
                child.require_no_mount(&inner)?;
            }
        }
        Ok(())
    }

    /// Somebody may mount something meanwhile, which is left alone too.
    fn remove_within(&self, name: &OsStr, after_each: &dyn Fn()) -> io::Result<()> {
        let child = self.child_here(name)?;
        fs::fchmod(&child.0, UNFINISHED_DIRECTORY)?;
        for inner in child.names()? {
            match child.kind(&inner)? {
                Some(Kind::Directory) => child.remove_within(&inner, after_each)?,
                Some(_) => child.remove_file(&inner)?,
                None => {}
            }
            after_each();
        }
        Ok(fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    fn stat(&self, name: &OsStr) -> io::Result<Option<Stat>> {
        match fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn kind_of(found: FileType) -> Kind {
    match found {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Special("a pipe"),
        FileType::Socket => Kind::Special("a socket"),
        FileType::CharacterDevice | FileType::BlockDevice => Kind::Special("a device"),
        FileType::Unknown => Kind::Special("no file"),
    }
}

fn finish(made: impl AsFd, stat: &Stat) -> io::Result<()> {
    let modified = Timespec {
        tv_sec: stat.st_mtime as _,
        tv_nsec: stat.st_mtime_nsec as _,
    };
    let times = Timestamps {
        last_access: modified,
        last_modification: modified,
    };
    fs::futimens(&made, &times)?;
    let permissions = Mode::from_raw_mode(stat.st_mode) & PERMISSIONS;
    Ok(fs::fchmod(&made, permissions)?)
}

fn mounted() -> io::Error {
    io::Error::new(
        io::ErrorKind::CrossesDevices,
        "something else is mounted there",
    )
}

/// A link where none is followed is said to be one too many.
fn not_followed(error: Errno) -> io::Error {
    match error {
        Errno::LOOP => io::ErrorKind::NotADirectory.into(),
        error => error.into(),
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn not_shared(error: Errno) -> io::Error {
    // Two of them are one and the same on some systems, so that they cannot be patterns.
    let reasons = [
        Errno::OPNOTSUPP,
        Errno::NOTSUP,
        Errno::XDEV,
        Errno::INVAL,
        Errno::NOTTY,
        Errno::NOSYS,
    ];
    match reasons.contains(&error) {
        true => io::ErrorKind::Unsupported.into(),
        false => error.into(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::*;

    const PLACE: &str = "ORCHESTRA_TEST_MOUNTED_PLACE";

    #[expect(
        clippy::disallowed_methods,
        reason = "a test starts itself again among mounts of its own"
    )]
    fn again_with_mount(program: &Path, name: &str, place: &Path) -> Command {
        let mut command = Command::new("unshare");
        let script = "mount --bind \"$1/theirs\" \"$1/ours/deep/mounted\" && exec \"$2\" --exact \"$3\" --nocapture";
        command
            .args(["-m", "sh", "-c", script, "sh"])
            .arg(place)
            .arg(program)
            .arg(name)
            .env(PLACE, place);
        command
    }

    /// A mount needs rights that not everybody has.
    #[expect(
        clippy::disallowed_methods,
        reason = "a test asks whether it may mount"
    )]
    fn may_mount() -> bool {
        let tried = Command::new("unshare")
            .args(["-m", "mount", "--bind", "/tmp", "/tmp"])
            .output();
        tried.is_ok_and(|output| output.status.success())
    }

    #[test]
    fn what_is_mounted_inside_is_not_removed() {
        let name = "copy_files::directory::unix::tests::what_is_mounted_inside_is_not_removed";
        #[expect(clippy::disallowed_methods, reason = "the first run says where")]
        if let Some(place) = std::env::var_os(PLACE) {
            let top = Directory::open(Path::new(&place)).unwrap();
            let error = top.remove_tree(OsStr::new("ours"), &|| ()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::CrossesDevices);
            assert!(top.below_here(Path::new("ours/deep")).is_ok());
            assert!(top.below_here(Path::new("ours/deep/mounted")).is_err());
            return;
        }
        if !may_mount() {
            println!("not run: {name}: nothing can be mounted");
            return;
        }
        let place = tempfile::tempdir().unwrap();
        for directory in ["ours/a", "ours/deep/mounted", "theirs"] {
            std::fs::create_dir_all(place.path().join(directory)).unwrap();
        }
        let files = ["ours/a/file", "theirs/precious"].map(|file| place.path().join(file));
        for file in &files {
            std::fs::write(file, "x").unwrap();
        }
        let program = std::env::current_exe().unwrap();
        let mut again = again_with_mount(&program, name, place.path());
        assert!(again.status().unwrap().success());
        assert!(files.iter().all(|file| file.exists()));
        let top = Directory::open(place.path()).unwrap();
        top.remove_tree(OsStr::new("ours"), &|| ()).unwrap();
        assert!(!place.path().join("ours").exists());
    }
}
