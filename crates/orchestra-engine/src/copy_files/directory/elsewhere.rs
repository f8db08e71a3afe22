//! Directories by their paths, where systems give no other way. Every name is looked at before it is used.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::Kind;

/// A directory.
#[derive(Debug)]
pub(crate) struct Directory(PathBuf);

/// A file to be read, and what a copy of it takes over.
#[derive(Debug)]
pub(crate) struct Original {
    pub(crate) file: File,
}

impl Original {
    /// Gives a copy the permissions and the time of what it was made from.
    pub(crate) fn finish(&self, made: &File) -> io::Result<()> {
        let facts = self.file.metadata()?;
        made.set_modified(facts.modified()?)?;
        made.set_permissions(facts.permissions())
    }

    /// Gives a new version of it the permissions, not the time.
    pub(crate) fn give_permissions(&self, made: &File) -> io::Result<()> {
        made.set_permissions(self.file.metadata()?.permissions())
    }
}

impl Directory {
    /// Opens the directory at a path. Only its last name must not be a link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match fs::symlink_metadata(path)?.is_dir() {
            true => Ok(Self(path.to_owned())),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// The directory of this name.
    pub(crate) fn child(&self, name: &OsStr) -> io::Result<Self> {
        Self::open(&self.0.join(name))
    }

    /// The directory at a path below. No link on the way is followed.
    pub(crate) fn below(&self, path: &Path) -> io::Result<Self> {
        let mut directory = Self(self.0.clone());
        for name in path.iter() {
            directory = directory.child(name)?;
        }
        Ok(directory)
    }

    /// The directory at a path below. What is mounted has a letter of its own here, or is a link.
    pub(crate) fn below_here(&self, path: &Path) -> io::Result<Self> {
        self.below(path)
    }

    /// Everything in it, with what it is.
    pub(crate) fn entries(&self) -> io::Result<Vec<(OsString, Kind)>> {
        let mut entries = Vec::new();
        for name in self.names()? {
            if let Some(kind) = self.kind(&name)? {
                entries.push((name, kind));
            }
        }
        Ok(entries)
    }

    /// Everything in it, in order.
    pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
        let entries = fs::read_dir(&self.0)?;
        let names = entries.map(|entry| Ok(entry?.file_name()));
        let mut names = names.collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    }

    /// What a name stands for; `None` if for nothing.
    pub(crate) fn kind(&self, name: &OsStr) -> io::Result<Option<Kind>> {
        match fs::symlink_metadata(self.0.join(name)) {
            Ok(facts) if facts.is_symlink() => Ok(Some(Kind::Link)),
            Ok(facts) if facts.is_dir() => Ok(Some(Kind::Directory)),
            Ok(facts) if facts.is_file() => Ok(Some(Kind::File)),
            Ok(_) => Ok(Some(Kind::Special("no file"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// How long a file is; `None` if it is gone.
    pub(crate) fn length(&self, name: &OsStr) -> io::Result<Option<u64>> {
        match fs::symlink_metadata(self.0.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            facts => Ok(Some(facts?.len())),
        }
    }

    /// Nothing tells a part from the whole here.
    pub(crate) fn is_unfinished(&self, _name: &OsStr) -> io::Result<bool> {
        Ok(false)
    }

    pub(crate) fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        fs::read_link(self.0.join(name))
    }

    /// The file of this name, to be read; nothing else is opened.
    pub(crate) fn file(&self, name: &OsStr) -> io::Result<File> {
        match self.kind(name)? {
            Some(Kind::File) => File::open(self.0.join(name)),
            Some(_) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The same, with what a copy takes over.
    pub(crate) fn original(&self, name: &OsStr) -> io::Result<Original> {
        let file = self.file(name)?;
        Ok(Original { file })
    }

    /// A new file.
    pub(crate) fn new_file(&self, name: &OsStr) -> io::Result<File> {
        let mut options = File::options();
        let options = options.read(true).write(true).create_new(true);
        options.open(self.0.join(name))
    }

    pub(crate) fn new_clone(&self, _name: &OsStr, _of: &Original) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// A new directory.
    pub(crate) fn new_child(&self, name: &OsStr, when_made: &dyn Fn()) -> io::Result<Self> {
        fs::create_dir(self.0.join(name))?;
        when_made();
        self.child(name)
    }

    /// A new directory, as a part of one that is unfinished.
    pub(crate) fn make_child(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    pub(crate) fn new_link(&self, target: &Path, name: &OsStr) -> io::Result<()> {
        let resolved = self.0.join(target);
        match resolved.is_dir() {
            true => std::os::windows::fs::symlink_dir(target, self.0.join(name)),
            false => std::os::windows::fs::symlink_file(target, self.0.join(name)),
        }
    }

    /// Nothing is shared here, so nothing waits for the disk.
    pub(crate) fn sync_below(&self) -> io::Result<()> {
        Ok(())
    }

    /// Directories have nothing that must be taken over.
    pub(crate) fn finish(&self, _like: &Self) -> io::Result<()> {
        Ok(())
    }

    /// Gives a file another name in this directory. Whatever has that name is replaced.
    pub(crate) fn rename(&self, name: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(name), self.0.join(to))
    }

    /// Two files cannot change their names here.
    pub(crate) fn exchange(&self, _one: &OsStr, _other: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Gives a file another name that nothing has; the error is `AlreadyExists` if something does.
    pub(crate) fn rename_new(&self, name: &OsStr, to: &OsStr) -> io::Result<()> {
        match self.kind(to)? {
            None => self.rename(name, to),
            Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// Removes a directory with everything in it.
    pub(crate) fn remove_tree(&self, name: &OsStr, after_each: &dyn Fn()) -> io::Result<()> {
        fs::remove_dir_all(self.0.join(name))?;
        after_each();
        Ok(())
    }
}
