//! A place out of sight, on the same disk as the checkout, where files wait until they are put in place and where the old ones
//! go. Only what the repository has anyway is ever deleted from it.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use gix_object::Kind;
use rustix::fs::{AtFlags, Mode, OFlags, unlinkat};

use crate::byte_path::to_bytes;
use crate::declined::Declined;
use crate::objects::Objects;

const NAME: &str = "orchestra-switch";
const DIRECTORY: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

pub(super) struct Room<'a> {
    path: PathBuf,
    directory: OwnedFd,
    objects: &'a Objects,
}

impl<'a> Room<'a> {
    /// Makes it anew in git's own folder of a checkout.
    pub(super) fn make(admin_dir: &Path, objects: &'a Objects) -> Result<Self, Declined> {
        Self::clear(admin_dir, objects)?;
        let path = admin_dir.join(NAME);
        rustix::fs::mkdir(&path, Mode::RWXU)?;
        let directory = rustix::fs::open(&path, DIRECTORY, Mode::empty())?;
        Ok(Self {
            path,
            directory,
            objects,
        })
    }

    /// Removes what somebody who was killed left, if the repository has all of it.
    pub(super) fn clear(admin_dir: &Path, objects: &Objects) -> Result<(), Declined> {
        let path = admin_dir.join(NAME);
        match path.symlink_metadata() {
            Ok(facts) if facts.is_dir() => {}
            Ok(_) => return Err(Declined::Unsuited("something else is in the way")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        for entry in fs::read_dir(&path)? {
            let file = entry?.path();
            if is_known(objects, &file)? {
                fs::remove_file(&file)?;
            }
        }
        Ok(fs::remove_dir(&path)?)
    }

    /// Removes files that were compared with the index before they came here.
    pub(super) fn empty(&self, names: impl Iterator<Item = String>) -> io::Result<()> {
        for name in names {
            unlinkat(&self.directory, name, AtFlags::empty())?;
        }
        fs::remove_dir(&self.path)
    }

    /// Removes what the repository has. Anything else stays.
    pub(super) fn leave(&self) -> Result<(), Declined> {
        let admin_dir = self.path.parent().unwrap_or(&self.path);
        Self::clear(admin_dir, self.objects)
    }
}

impl AsFd for Room<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }
}

fn is_known(objects: &Objects, file: &Path) -> Result<bool, Declined> {
    let content = match file.symlink_metadata()?.is_symlink() {
        true => to_bytes(&fs::read_link(file)?),
        false => fs::read(file)?,
    };
    let id = gix_object::compute_hash(gix_hash::Kind::Sha1, Kind::Blob, &content);
    let id = id.map_err(io::Error::other)?;
    Ok(objects.read(&id, Kind::Blob, &mut Vec::new()).is_ok())
}
