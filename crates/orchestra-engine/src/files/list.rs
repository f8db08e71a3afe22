//! What is in a directory of a worktree.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use orchestra_core::SessionId;

use super::path::is_gits;
use super::{FileError, open_top, require_path};
use crate::copy_files::{Directory, Kind};
use crate::{Engine, EngineError};

/// Which part of which directory.
#[derive(Debug, Clone, Copy, Default)]
pub struct DirectoryRequest<'a> {
    /// From the top of the worktree; empty: the top itself.
    pub path: &'a str,
    /// Only what comes after this name.
    pub after: Option<&'a str>,
    /// At most this many.
    pub limit: usize,
}

/// A part of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryPage {
    /// How much is in it altogether.
    pub total: usize,
    /// What is in this part, by name.
    pub entries: Vec<FileEntry>,
    /// Whether something comes after it.
    pub has_more: bool,
}

/// Something in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Its name; bytes that are no text are replaced.
    pub name: String,
    /// `file`, `directory`, `link` or `special`.
    pub kind: &'static str,
    /// How long a file is.
    pub bytes: Option<u64>,
    /// Where a link leads; bytes that are no text are replaced.
    pub target: Option<String>,
}

impl Engine {
    /// Lists a directory of a session's worktree, without what is git's own.
    ///
    /// # Errors
    /// If the path leads elsewhere, or there is no such directory.
    pub fn list_directory(
        &self,
        id: &SessionId,
        request: &DirectoryRequest<'_>,
    ) -> Result<DirectoryPage, EngineError> {
        let place = match request.path {
            "" | "." => Path::new("").to_owned(),
            path => require_path(path)?,
        };
        let top = open_top(&self.session(id)?.session)?;
        let page = top
            .below(&place)
            .and_then(|directory| page(&directory, request));
        Ok(page.map_err(|source| FileError::of(request.path, source))?)
    }
}

fn page(directory: &Directory, request: &DirectoryRequest<'_>) -> io::Result<DirectoryPage> {
    let mut all: Vec<(String, OsString, Kind)> = Vec::new();
    for (name, kind) in directory.entries()? {
        if !is_gits(&name) {
            all.push((name.to_string_lossy().into_owned(), name, kind));
        }
    }
    all.sort_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
    let total = all.len();
    let is_after = |name: &str| request.after.is_none_or(|after| name > after);
    let mut rest = all.into_iter().filter(|(name, ..)| is_after(name));
    let shown = rest.by_ref().take(request.limit);
    let entries = shown.map(|(shown, name, kind)| entry(directory, shown, &name, kind));
    let entries = entries.collect::<io::Result<_>>()?;
    Ok(DirectoryPage {
        total,
        entries,
        has_more: rest.next().is_some(),
    })
}

/// What is gone by now is still shown: whoever asks for it is told.
fn entry(
    directory: &Directory,
    shown: String,
    name: &OsString,
    kind: Kind,
) -> io::Result<FileEntry> {
    let is_link = kind == Kind::Link;
    let target = is_link.then(|| directory.link_target(name).ok()).flatten();
    Ok(FileEntry {
        name: shown,
        kind: match kind {
            Kind::File => "file",
            Kind::Directory => "directory",
            Kind::Link => "link",
            Kind::Special(_) => "special",
        },
        bytes: match kind {
            Kind::File => directory.length(name)?,
            _ => None,
        },
        target: target.map(|target| target.to_string_lossy().into_owned()),
    })
}
