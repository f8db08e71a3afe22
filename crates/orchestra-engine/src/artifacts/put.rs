//! Writing an artifact: its name is reserved first, so that it is known whose it is, and the file is there as a whole or not
//! at all.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use orchestra_core::{Artifact, Session, artifact_name, artifact_owner};
use orchestra_store::Tx;
use tempfile::NamedTempFile;

use crate::prompt_file::{is_abandoned, of_this_process};
use crate::{Engine, EngineError};

/// Somebody who has so many files of one name wants something else.
const MOST_ATTEMPTS: u32 = 1_000;
/// A file that is longer is not collected: it may grow while it is read.
const MOST_BYTES: u64 = 1 << 30;
/// What the name of a file begins with until it is whole.
const UNFINISHED: &str = ".unfinished-";

impl Engine {
    pub(super) fn put_artifact(
        &self,
        session: &Session,
        folder: &Path,
        file: File,
        source: &Path,
    ) -> Result<(), EngineError> {
        let Some(source) = source.to_str() else {
            let kind = io::ErrorKind::InvalidFilename;
            return Err(EngineError::io("write down its name", kind.into()));
        };
        let artifact =
            self.write_stream(|tx| self.reserve_artifact(tx, session, folder, source))?;
        self.failpoints.pass("artifacts.reserved");
        let bytes = copy(file, folder, &artifact.name)
            .map_err(|error| EngineError::io("copy it", error))?;
        self.failpoints.pass("artifacts.written");
        let whole = Artifact {
            bytes: Some(bytes),
            collected_at: self.now(),
            ..artifact
        };
        self.write_stream(|tx| Ok(tx.put_artifact(&whole)?))
    }

    /// The name that the file has already, or one that nobody has: no other session, and nothing in the folder.
    fn reserve_artifact(
        &self,
        tx: &Tx<'_>,
        session: &Session,
        folder: &Path,
        source: &str,
    ) -> Result<Artifact, EngineError> {
        if let Some(known) = tx.find_artifact(&session.id, source)? {
            return Ok(known);
        }
        let owner = artifact_owner(session.issue.as_deref(), &session.name, &session.id);
        for attempt in 0..MOST_ATTEMPTS {
            let name = artifact_name(&owner, Path::new(source), attempt);
            let is_there = folder.join(&name).symlink_metadata().is_ok();
            if is_there || tx.is_artifact_name_taken(session.repository, &name)? {
                continue;
            }
            let artifact = Artifact {
                session: session.id.clone(),
                source: source.to_owned(),
                name,
                bytes: None,
                collected_at: self.now(),
            };
            tx.reserve_artifact(session.repository, &artifact)?;
            return Ok(artifact);
        }
        Err(EngineError::io(
            "find a name for it",
            io::ErrorKind::AlreadyExists.into(),
        ))
    }
}

/// Copies an open file into the folder; what had the name is replaced.
fn copy(file: File, folder: &Path, name: &str) -> io::Result<u64> {
    let permissions = file.metadata()?.permissions();
    let prefix = format!("{UNFINISHED}{}", of_this_process());
    let mut unfinished = NamedTempFile::with_prefix_in(prefix, folder)?;
    let bytes = io::copy(&mut file.take(MOST_BYTES + 1), &mut unfinished)?;
    if bytes > MOST_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "it is larger than 1 GiB",
        ));
    }
    unfinished.as_file().set_permissions(plain(&permissions))?;
    unfinished.as_file().sync_all()?;
    unfinished.persist(folder.join(name))?;
    Ok(bytes)
}

/// Removes what was being written when its process died.
pub(super) fn remove_abandoned_files(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(UNFINISHED));
        if rest.is_some_and(|rest| is_abandoned(OsStr::new(rest))) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Who may read, write and run it; nothing that makes a program somebody else's.
#[cfg(unix)]
fn plain(permissions: &std::fs::Permissions) -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    PermissionsExt::from_mode(permissions.mode() & 0o777)
}

#[cfg(not(unix))]
fn plain(permissions: &std::fs::Permissions) -> std::fs::Permissions {
    permissions.clone()
}
