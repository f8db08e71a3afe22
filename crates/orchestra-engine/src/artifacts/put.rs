//! Writing an artifact: its name is reserved first, so that it is known whose it is, and the file is there as a whole or not
//! at all. What lies under its name is replaced only if it is what was collected before: a person may have put something there.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use orchestra_core::{Artifact, Session, Timestamp, artifact_name, artifact_owner};
use orchestra_store::Tx;
use tempfile::NamedTempFile;

use crate::copy_files::Directory;
use crate::prompt_file::{is_abandoned, of_this_process};
use crate::{Engine, EngineError};

/// Somebody who has so many files of one name wants something else.
const MOST_ATTEMPTS: u32 = 1_000;
/// A file that is longer is not collected: it may grow while it is read.
const MOST_BYTES: u64 = 1 << 30;
/// In milliseconds.
const COARSEST_TIME: i64 = 2_000;
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
        let known = self.write_stream(|tx| {
            let known = tx.find_artifact(&session.id, source)?;
            known.map_or_else(|| self.reserve_artifact(tx, session, folder, source), Ok)
        })?;
        self.failpoints.pass("artifacts.reserved");
        let collected_at = self.now();
        let (unfinished, bytes) = copy(file, folder, collected_at).map_err(not_copied)?;
        let mut artifact = known;
        let mut left = give_name(unfinished, folder, &artifact).map_err(not_copied)?;
        while let Some(unfinished) = left {
            artifact =
                self.write_stream(|tx| self.reserve_artifact(tx, session, folder, source))?;
            left = give_name(unfinished, folder, &artifact).map_err(not_copied)?;
        }
        self.failpoints.pass("artifacts.written");
        let whole = Artifact {
            bytes: Some(bytes),
            collected_at,
            ..artifact
        };
        self.write_stream(|tx| Ok(tx.put_artifact(&whole)?))
    }

    /// A name that nobody has: no session, and nothing in the folder.
    fn reserve_artifact(
        &self,
        tx: &Tx<'_>,
        session: &Session,
        folder: &Path,
        source: &str,
    ) -> Result<Artifact, EngineError> {
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

fn not_copied(error: io::Error) -> EngineError {
    EngineError::io("copy it", error)
}

/// Copies an open file into the folder, without a name of its own yet. Its time tells later whether somebody changed it.
fn copy(file: File, folder: &Path, at: Timestamp) -> io::Result<(NamedTempFile, u64)> {
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
    unfinished.as_file().set_modified(at.into())?;
    unfinished.as_file().sync_all()?;
    Ok((unfinished, bytes))
}

/// Gives a whole file its name. It comes back if somebody else's file has it.
fn give_name(
    unfinished: NamedTempFile,
    folder: &Path,
    artifact: &Artifact,
) -> io::Result<Option<NamedTempFile>> {
    let path = folder.join(&artifact.name);
    match unfinished.persist_noclobber(&path) {
        Ok(_) => Ok(None),
        Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => {
            let unfinished = refused.file;
            // The same content is there if we were cut off before it was written down.
            if !is_as_collected(&path, artifact)? && !is_same(&unfinished, folder, artifact)? {
                return Ok(Some(unfinished));
            }
            unfinished.persist(&path)?;
            Ok(None)
        }
        Err(refused) => Err(refused.error),
    }
}

/// Whether a file is what was collected under its name. Some file systems keep no more than every second second.
fn is_as_collected(path: &Path, artifact: &Artifact) -> io::Result<bool> {
    let facts = path.symlink_metadata()?;
    let modified = Timestamp::try_from(facts.modified()?).map_err(io::Error::other)?;
    let age = artifact.collected_at.as_millisecond() - modified.as_millisecond();
    let is_of_then = (0..COARSEST_TIME).contains(&age);
    Ok(facts.is_file() && artifact.bytes == Some(facts.len()) && is_of_then)
}

/// Whether what has the name of an artifact is a file of the same content.
fn is_same(unfinished: &NamedTempFile, folder: &Path, artifact: &Artifact) -> io::Result<bool> {
    let Ok(there) = Directory::open(folder)?.file(OsStr::new(&artifact.name)) else {
        return Ok(false);
    };
    let new = unfinished.reopen()?;
    if there.metadata()?.len() != new.metadata()?.len() {
        return Ok(false);
    }
    let (mut new, mut there) = (BufReader::new(new), BufReader::new(there));
    loop {
        let (one, other) = (new.fill_buf()?, there.fill_buf()?);
        let shared = one.len().min(other.len());
        if one[..shared] != other[..shared] {
            return Ok(false);
        }
        if shared == 0 {
            return Ok(one.len() == other.len());
        }
        new.consume(shared);
        there.consume(shared);
    }
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
