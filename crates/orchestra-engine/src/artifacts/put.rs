//! Writing an artifact: its name is reserved first, so that it is known whose it is, and the file is there as a whole or not
//! at all. What lies under its name is replaced only if it is what was collected before: a person may have put something there.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;

use orchestra_core::{Artifact, Session, Timestamp, artifact_name, artifact_owner};
use orchestra_store::Tx;

use crate::copy_files::Directory;
use crate::engine::random_hex;
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
        folder: &Directory,
        file: File,
        source: &Path,
    ) -> Result<(), EngineError> {
        let is_too_large = file.metadata().map(|facts| facts.len() > MOST_BYTES);
        if is_too_large.map_err(not_copied)? {
            return Err(not_copied(too_large()));
        }
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
        let mut unfinished = Unfinished::new(folder)?;
        let copied = unfinished.fill(file, collected_at);
        let bytes = copied.map_err(not_copied)?;
        let mut artifact = known;
        while !unfinished.take_name(&artifact).map_err(not_copied)? {
            artifact =
                self.write_stream(|tx| self.reserve_artifact(tx, session, folder, source))?;
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
        folder: &Directory,
        source: &str,
    ) -> Result<Artifact, EngineError> {
        let owner = artifact_owner(session.issue.as_deref(), &session.name, &session.id);
        for attempt in 0..MOST_ATTEMPTS {
            let name = artifact_name(&owner, Path::new(source), attempt);
            let there = folder.kind(OsStr::new(&name)).map_err(not_copied)?;
            if there.is_some() || tx.is_artifact_name_taken(session.repository, &name)? {
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

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 1 GiB")
}

/// A file without a name of its own yet. It is removed unless it gets one.
struct Unfinished<'a> {
    folder: &'a Directory,
    name: OsString,
    file: File,
    is_named: bool,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.is_named
            && let Err(error) = self.folder.remove_file(&self.name)
        {
            tracing::debug!(%error, name = %self.name.display(), "an unfinished artifact stays");
        }
    }
}

impl<'a> Unfinished<'a> {
    fn new(folder: &'a Directory) -> Result<Self, EngineError> {
        let name = format!("{UNFINISHED}{}{}", of_this_process(), random_hex()?);
        let name = OsString::from(name);
        let file = folder.new_file(&name).map_err(not_copied)?;
        Ok(Self {
            folder,
            name,
            file,
            is_named: false,
        })
    }

    /// Copies an open file. Its time tells later whether somebody changed it.
    fn fill(&mut self, from: File, at: Timestamp) -> io::Result<u64> {
        let permissions = from.metadata()?.permissions();
        let bytes = io::copy(&mut from.take(MOST_BYTES + 1), &mut self.file)?;
        if bytes > MOST_BYTES {
            return Err(too_large());
        }
        self.file.set_permissions(plain(&permissions))?;
        self.file.set_modified(at.into())?;
        self.file.sync_all()?;
        Ok(bytes)
    }

    /// Gives a whole file its name, unless somebody else's file has it.
    fn take_name(&mut self, artifact: &Artifact) -> io::Result<bool> {
        let name = OsStr::new(&artifact.name);
        match self.folder.rename_new(&self.name, name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // The same content is there if we were cut off before it was written down.
                let is_ours = match self.folder.file(name) {
                    Ok(there) => is_as_collected(&there, artifact)? || self.is_same(there)?,
                    Err(_) => false,
                };
                if !is_ours {
                    return Ok(false);
                }
                self.folder.rename(&self.name, name)?;
            }
            named => named?,
        }
        self.is_named = true;
        Ok(true)
    }

    /// Whether another file has the same content.
    fn is_same(&mut self, there: File) -> io::Result<bool> {
        if there.metadata()?.len() != self.file.metadata()?.len() {
            return Ok(false);
        }
        self.file.rewind()?;
        let (mut new, mut there) = (BufReader::new(&self.file), BufReader::new(there));
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
}

/// Whether a file is what was collected under its name. Some file systems keep no more than every second second.
fn is_as_collected(there: &File, artifact: &Artifact) -> io::Result<bool> {
    let facts = there.metadata()?;
    let modified = Timestamp::try_from(facts.modified()?).map_err(io::Error::other)?;
    let age = artifact.collected_at.as_millisecond() - modified.as_millisecond();
    let is_of_then = (0..COARSEST_TIME).contains(&age);
    Ok(artifact.bytes == Some(facts.len()) && is_of_then)
}

/// Removes what was being written when its process died.
pub(super) fn remove_abandoned_files(folder: &Directory) -> io::Result<()> {
    for name in folder.names()? {
        let rest = name.to_str().and_then(|name| name.strip_prefix(UNFINISHED));
        if rest.is_some_and(|rest| is_abandoned(OsStr::new(rest))) {
            folder.remove_file(&name)?;
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
