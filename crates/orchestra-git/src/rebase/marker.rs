//! A note beside git's record while we go from one stop to the next, so that what was cut off can be done again.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;

use super::record::directory;
use crate::error::{AtPath, GitError};
use crate::files::remove_if_present;

const NAME: &str = "orchestra-going-on";

/// Where we come from and where we go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    /// The commit whose files were there.
    pub(super) files: CommitId,
    /// The commit that the next one comes to stand on.
    pub(super) base: CommitId,
    /// The commit whose files are being written.
    pub(super) toward: CommitId,
    /// What is left to make again.
    pub(super) rest: Vec<CommitId>,
}

impl Marker {
    pub(super) fn read(admin_dir: &Path) -> Result<Option<Self>, GitError> {
        let path = path(admin_dir);
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text)
                .map(Some)
                .ok_or_else(|| GitError::io(&path, std::io::ErrorKind::InvalidData.into())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(GitError::io(&path, error)),
        }
    }

    /// Whole or not at all.
    pub(super) fn write(&self, admin_dir: &Path) -> Result<(), GitError> {
        let path = path(admin_dir);
        let unfinished = path.with_extension("unfinished");
        fs::write(&unfinished, self.text()).at(&unfinished)?;
        fs::rename(&unfinished, &path).at(&path)
    }

    pub(super) fn remove(admin_dir: &Path) -> Result<(), GitError> {
        remove_if_present(&path(admin_dir))
    }

    /// The content of a file in a record that takes its place as a whole.
    pub(super) fn file(&self) -> (&'static str, Vec<u8>) {
        (NAME, self.text().into_bytes())
    }

    fn text(&self) -> String {
        let fixed = [&self.files, &self.base, &self.toward].into_iter();
        let lines = fixed.chain(&self.rest).map(|id| format!("{id}\n"));
        lines.collect()
    }

    fn parse(text: &str) -> Option<Self> {
        let mut ids = text.lines().map(str::parse);
        let (files, base) = (ids.next()?.ok()?, ids.next()?.ok()?);
        Some(Self {
            files,
            base,
            toward: ids.next()?.ok()?,
            rest: ids.collect::<Result<_, _>>().ok()?,
        })
    }
}

fn path(admin_dir: &Path) -> PathBuf {
    directory(admin_dir).join(NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_read() {
        let id = |digit: &str| digit.repeat(40).parse::<CommitId>().unwrap();
        let marker = Marker {
            files: id("1"),
            base: id("2"),
            toward: id("3"),
            rest: vec![id("4"), id("5")],
        };
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Marker::read(dir.path()).unwrap(), None);
        fs::create_dir(directory(dir.path())).unwrap();
        marker.write(dir.path()).unwrap();
        assert_eq!(Marker::read(dir.path()).unwrap(), Some(marker));
        fs::write(path(dir.path()), "cut").unwrap();
        assert_eq!(Marker::read(dir.path()).unwrap_err().code(), "git.io");
        Marker::remove(dir.path()).unwrap();
        Marker::remove(dir.path()).unwrap();
        fs::create_dir(path(dir.path())).unwrap();
        assert_eq!(Marker::read(dir.path()).unwrap_err().code(), "git.io");
    }
}
