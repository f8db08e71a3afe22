//! What lies in a toolbox, by name. Nothing is trusted because of it: what is taken is opened anew.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, statat};

use super::open::Root;
use crate::toolbox::rules::DEEPEST;

/// What lies in a toolbox.
#[derive(Default)]
pub(super) struct Listing {
    pub(super) files: Vec<PathBuf>,
    pub(super) links: Vec<PathBuf>,
    pub(super) refused: Vec<(PathBuf, String)>,
    pub(super) looked_at: usize,
}

/// Lists a toolbox, unless it has more than it may.
pub(super) fn list(root: &Root, most: usize) -> Result<Listing, String> {
    let mut listing = Listing::default();
    listing.look(root, Path::new(""), most)?;
    Ok(listing)
}

impl Listing {
    fn look(&mut self, root: &Root, below: &Path, most: usize) -> Result<(), String> {
        let directory = match root.directory(below) {
            Ok(directory) => directory,
            Err(why) => {
                self.refused.push((below.to_owned(), why));
                return Ok(());
            }
        };
        let room = most - self.looked_at;
        let names = names(Dir::read_from(&directory).map_err(said)?, room)?;
        self.looked_at += names.len();
        for name in names.into_iter().filter(|name| !is_hidden(name)) {
            let path = below.join(&name);
            let facts = statat(&directory, &name, AtFlags::SYMLINK_NOFOLLOW);
            let kind = facts.map(|facts| FileType::from_raw_mode(facts.st_mode));
            match kind {
                Ok(FileType::RegularFile) => self.files.push(path),
                Ok(FileType::Symlink) => self.links.push(path),
                Ok(FileType::Directory) if path.components().count() > DEEPEST => {
                    self.refused.push((path, "it lies too deep".to_owned()));
                }
                Ok(FileType::Directory) => self.look(root, &path, most)?,
                Ok(_) => {
                    let why = "it is a pipe, a socket or a device".to_owned();
                    self.refused.push((path, why));
                }
                Err(error) => self.refused.push((path, said(error))),
            }
        }
        Ok(())
    }
}

fn names(entries: Dir, room: usize) -> Result<Vec<OsString>, String> {
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(said)?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        if names.len() == room {
            return Err("with it, the toolboxes would have more than 1,000 files".to_owned());
        }
        names.push(name.to_owned());
    }
    names.sort();
    Ok(names)
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b".")
}

fn said(error: rustix::io::Errno) -> String {
    std::io::Error::from(error).to_string()
}
