//! A disk in a file, with a file system on which files can share data.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::ground::succeeds;

/// Sparse: only what is written takes space.
const BYTES: u64 = 8 << 30;

/// Unmounted and removed when dropped.
#[derive(Debug)]
pub(super) struct Disk {
    image: PathBuf,
    root: PathBuf,
    kind: &'static str,
}

impl Disk {
    /// `None` where the user may not mount or the programs are missing.
    pub(super) fn mount(top: &Path, kind: &'static str) -> Option<Self> {
        let disk = Self {
            image: top.join(format!("{kind}.img")),
            root: top.join(kind),
            kind,
        };
        let image = File::create(&disk.image).ok()?;
        image.set_len(BYTES).ok()?;
        std::fs::create_dir(&disk.root).ok()?;
        let (image, root) = (disk.image.as_os_str(), disk.root.as_os_str());
        let is_made = succeeds(&format!("mkfs.{kind}"), ["-q".as_ref(), image])
            && succeeds("mount", ["-o".as_ref(), "loop".as_ref(), image, root]);
        is_made.then_some(disk)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// What people call the file system.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            "xfs" => "XFS",
            _ => "Btrfs",
        }
    }

    /// Everything is written afterwards.
    pub(super) fn settle(&self) {
        succeeds("sync", ["-f".as_ref(), self.root.as_os_str()]);
    }

    /// How many bytes are taken.
    pub(super) fn used(&self) -> Outcome<u64> {
        self.settle();
        let mut command = Command::new("df");
        command.args(["--output=used", "--block-size=1"]);
        let output = command.arg(&self.root).output()?;
        let text = String::from_utf8(output.stdout)?;
        let figure = text.lines().last().unwrap_or_default();
        Ok(figure.trim().parse()?)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if !succeeds("umount", [&self.root]) {
            succeeds("umount", ["--lazy".as_ref(), self.root.as_os_str()]);
        }
        std::fs::remove_file(&self.image).unwrap_or_default();
        std::fs::remove_dir(&self.root).unwrap_or_default();
    }
}
