//! Bringing objects of a workspace into the repository.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Workspace, WorkspaceError};
use crate::call::Call;
use crate::error::{AtPath, GitError};
use crate::repository::Repository;
use crate::shadow::{Shadow, quoted_line};

/// More is not fetched.
const MOST_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// As many objects as git itself keeps together when it fetches.
const PACKED_FROM: u32 = 100;

impl Workspace {
    /// Refuses what git would not make, and takes away what leads to other objects: an agent could name some that it may not
    /// read.
    pub(super) fn require_plain_objects(&self) -> Result<(), WorkspaceError> {
        let git = self.git_dir();
        let objects = git.join("objects");
        for directory in [&git, &objects] {
            if !fs::symlink_metadata(directory).is_ok_and(|facts| facts.is_dir()) {
                let problem = format!("`{}` is gone or was replaced", directory.display());
                return Err(WorkspaceError::rejected(problem));
            }
        }
        let mut bytes = 0;
        add_up(&objects, &mut bytes)?;
        for lenders in ["alternates", "http-alternates"] {
            let path = objects.join("info").join(lenders);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(GitError::io(&path, error).into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn lenders(&self) -> Result<Vec<u8>, GitError> {
        let mut all = self.earlier_objects()?;
        all.push(self.git_dir().join("objects"));
        let quoted = |path: &PathBuf| {
            let mut line = quoted_line(path);
            line.pop();
            line
        };
        Ok(all.iter().map(quoted).collect::<Vec<_>>().join(&b':'))
    }
}

fn add_up(directory: &Path, bytes: &mut u64) -> Result<(), WorkspaceError> {
    for entry in fs::read_dir(directory).at(directory)? {
        let entry = entry.at(directory)?;
        let facts = entry.metadata().at(directory)?;
        if facts.is_dir() {
            add_up(&entry.path(), bytes)?;
        } else if facts.is_file() {
            *bytes += facts.len();
        } else {
            let problem = format!("`{}` is not a file of git's", entry.path().display());
            return Err(WorkspaceError::rejected(problem));
        }
        if *bytes > MOST_BYTES {
            return Err(WorkspaceError::rejected(
                "it has more than 4 GiB of objects",
            ));
        }
    }
    Ok(())
}

impl Repository {
    /// Brings what revisions of a workspace lead to into the repository, checked as if it came from a stranger.
    pub(super) fn take_objects(
        &self,
        workspace: &Workspace,
        revisions: String,
    ) -> Result<(), WorkspaceError> {
        let shadow = Shadow::of_objects(self)?;
        let pack = shadow.index().with_file_name("incoming.pack");
        let lenders = crate::byte_path::from_bytes(&workspace.lenders()?);
        let call = shadow
            .call("pack-objects")
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", lenders);
        let is_bad = |source| WorkspaceError::Rejected {
            problem: "git cannot read its commits".to_owned(),
            source: Some(source),
        };
        self.pack_into(&pack, call, revisions).map_err(is_bad)?;
        self.put_checked(&shadow, &pack)
    }

    fn put_checked(&self, shadow: &Shadow, pack: &Path) -> Result<(), WorkspaceError> {
        let bytes = fs::read(pack).at(pack)?;
        let call = match object_count(&bytes) {
            0 => return Ok(()),
            count if count < PACKED_FROM => unpacking(shadow),
            _ => shadow.call("index-pack").args(["--stdin", "--strict"]),
        };
        let answer = self.git().run(&call.stdin(bytes))?.require_success();
        let is_bad = |source| WorkspaceError::Rejected {
            problem: "git finds fault with its commits".to_owned(),
            source: Some(source),
        };
        answer.map(drop).map_err(is_bad)
    }
}

fn unpacking(shadow: &Shadow) -> Call {
    shadow.call("unpack-objects").args(["-q", "--strict"])
}

/// What the head of a pack says.
fn object_count(pack: &[u8]) -> u32 {
    let count = pack.get(8..12).and_then(|bytes| bytes.try_into().ok());
    count.map_or(0, u32::from_be_bytes)
}
