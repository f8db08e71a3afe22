//! Putting an opened file into the session's directory: a link to that very file, or a copy where none can be.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use super::open::Checked;
use crate::toolbox::rules::LARGEST_FILE;

/// Puts a file at a path below a directory that is ours alone.
pub(super) fn place(into: &Path, path: &Path, file: &Checked) -> io::Result<()> {
    let target = into.join(path);
    if let Some(parent) = target.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(parent)?;
    }
    match link(file, &target) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => copy(file, &target),
    }
}

/// The kernel's name for the opened file leads to it, whatever its path leads to by now.
#[cfg(target_os = "linux")]
fn link(file: &Checked, target: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{AtFlags, CWD, linkat};
    let opened = format!("/proc/self/fd/{}", file.file.as_raw_fd());
    Ok(linkat(CWD, opened, CWD, target, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_file: &Checked, _target: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn copy(file: &Checked, target: &Path) -> io::Result<()> {
    let mode = if file.is_executable { 0o500 } else { 0o400 };
    let mut copy = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(target)?;
    // It may have grown since it was looked at.
    let copied = io::copy(&mut (&file.file).take(LARGEST_FILE + 1), &mut copy)?;
    if copied == file.stamp.size {
        return Ok(());
    }
    fs::remove_file(target)?;
    Err(io::Error::other("it changed while it was copied"))
}
