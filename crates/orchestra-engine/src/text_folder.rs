//! A folder of small text files that the user or a repository brings, such as templates.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::EngineError;
use crate::copy_files::{Directory, is_of_another_kind};

/// Where such files are, and what they may be.
#[derive(Debug, Clone)]
pub(crate) struct TextFolder {
    pub(crate) path: PathBuf,
    /// Links must not lead out of this directory.
    pub(crate) within: Option<PathBuf>,
    /// How the names of the files end, without the dot.
    pub(crate) ending: &'static str,
    /// Longer files are something else.
    pub(crate) max_bytes: u64,
}

impl TextFolder {
    /// Its files, by name.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>, EngineError> {
        let fail = |source| EngineError::io(format!("read {}", self.path.display()), source);
        let entries = match fs::read_dir(&self.path) {
            Err(error) if is_absent(&error) => return Ok(Vec::new()),
            entries => entries.map_err(fail)?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(fail)?.path();
            if path.extension().is_some_and(|ending| ending == self.ending) {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    /// File and text by the name without its ending. `None`: there is no such file.
    pub(crate) fn find(&self, name: &str) -> Result<Option<(PathBuf, String)>, EngineError> {
        let file = self.path.join(format!("{name}.{}", self.ending));
        match self.read(&file) {
            Ok(text) => Ok(Some((file, text))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(source) => Err(EngineError::io(format!("read {}", file.display()), source)),
        }
    }

    /// Links lead wherever the user wants; those of a repository must not lead out of it.
    fn open(&self, file: &Path) -> io::Result<File> {
        let real = file.canonicalize()?;
        let Some(top) = &self.within else {
            return open_below(real.parent().unwrap_or(&real), &real);
        };
        let top = top.canonicalize()?;
        match real.starts_with(&top) {
            true => open_below(&top, &real),
            false => Err(io::Error::other("it leads out of the repository")),
        }
    }

    fn read(&self, file: &Path) -> io::Result<String> {
        let mut text = String::new();
        let mut opened = self.open(file)?.take(self.max_bytes + 1);
        opened.read_to_string(&mut text)?;
        match text.len() as u64 > self.max_bytes {
            true => Err(io::Error::other(format!(
                "it is larger than {} KiB",
                self.max_bytes / 1024
            ))),
            false => Ok(text),
        }
    }
}

/// Opens a regular file below a folder. Neither path has links any more, so one on the way was put there since, as a pipe may
/// have been: that is not followed, and this is not waited for.
fn open_below(top: &Path, file: &Path) -> io::Result<File> {
    let below = file.strip_prefix(top).map_err(io::Error::other)?;
    let folder = Directory::open(top)?.below(below.parent().unwrap_or(Path::new("")))?;
    let opened = folder.file(below.file_name().unwrap_or_default());
    opened.map_err(|error| match is_of_another_kind(&error) {
        true => io::Error::other("it is not a regular file"),
        false => error,
    })
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_was_put_in_the_place_of_a_file_is_neither_followed_nor_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (top, outside) = (folder.path().join("top"), folder.path().join("outside"));
        fs::create_dir_all(top.join("templates")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("a.toml"), "").unwrap();
        symlink(outside.join("a.toml"), top.join("templates/a.toml")).unwrap();
        symlink(&outside, top.join("link")).unwrap();
        let pipe = top.join("templates/pipe.toml");
        let mode = rustix::fs::Mode::RWXU;
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
        for place in ["templates/a.toml", "link/a.toml", "templates/pipe.toml"] {
            assert!(open_below(&top, &top.join(place)).is_err(), "{place}");
        }
        fs::write(top.join("templates/b.toml"), "").unwrap();
        open_below(&top, &top.join("templates/b.toml")).unwrap();
    }
}
