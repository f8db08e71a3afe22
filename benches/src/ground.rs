//! The ground everything happens on: a temporary directory, with a journaled ext4 of its own where the system allows it.
//!
//! A file system that was used for something else before makes worktrees slow or fast by chance; a fresh one does not.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::Outcome;

/// Sparse: only what is written takes space.
const IMAGE_BYTES: u64 = 32 << 30;

/// Removed when dropped.
#[derive(Debug)]
pub(crate) struct Ground {
    // Fields go in this order: nothing is mounted any more when the directory is removed.
    _mount: Option<Mount>,
    directory: TempDir,
    root: PathBuf,
    description: &'static str,
}

impl Ground {
    /// Makes the ground below `parent`, or in the system's directory for temporary files.
    pub(crate) fn prepare(parent: Option<&Path>) -> Outcome<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("orchestra-bench-");
        let directory = match parent {
            Some(parent) => builder.tempdir_in(parent)?,
            None => builder.tempdir()?,
        };
        let top = directory.path().canonicalize()?;
        let mount = Mount::try_new(&top);
        let (root, description) = match &mount {
            Some(mount) => (
                mount.target.clone(),
                "a fresh ext4 with a journal, in an image file",
            ),
            None => (
                top,
                "a plain temporary directory (no right to mount an image)",
            ),
        };
        Ok(Self {
            _mount: mount,
            directory,
            root,
            description,
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A directory that is not on the file system of its own, for others.
    pub(crate) fn beside(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn description(&self) -> &'static str {
        self.description
    }

    /// Writes back what earlier samples left in memory, so that the next one does not pay for it.
    pub(crate) fn settle(&self) {
        succeeds("sync", [OsStr::new("-f"), self.root.as_os_str()]);
    }
}

#[derive(Debug)]
struct Mount {
    target: PathBuf,
}

impl Mount {
    /// `None` where the user may not mount or the programs are missing.
    fn try_new(top: &Path) -> Option<Self> {
        let (image, target) = (top.join("ground.img"), top.join("ground"));
        File::create(&image)
            .and_then(|file| file.set_len(IMAGE_BYTES))
            .ok()?;
        std::fs::create_dir(&target).ok()?;
        let format = ["-q", "-F", "-i", "8192"].map(OsStr::new);
        let formatted = succeeds("mkfs.ext4", format.into_iter().chain([image.as_os_str()]));
        let loop_option = ["-o", "loop"].map(OsStr::new);
        let mounted = formatted
            && succeeds(
                "mount",
                loop_option
                    .into_iter()
                    .chain([image.as_os_str(), target.as_os_str()]),
            );
        if !mounted {
            std::fs::remove_file(&image).unwrap_or_default();
        }
        mounted.then_some(Self { target })
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if !succeeds("umount", [&self.target]) {
            succeeds("umount", [OsStr::new("--lazy"), self.target.as_os_str()]);
        }
    }
}

/// Runs a program without a word.
pub(crate) fn succeeds(
    program: &str,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> bool {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
