//! Marks that tell the same use of a tool again. A use may have a secret in it, which must not be kept: the mark is a keyed
//! hash, and its key is not in the database, of which there are copies.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use orchestra_core::ToolUse;

use crate::engine::random_bytes;
use crate::{Engine, EngineError};

type Key = [u8; blake3::KEY_LEN];

impl Engine {
    /// The mark of a use as the agent tells it, secrets and all.
    pub(super) fn mark_of(&self, tool_use: &ToolUse) -> Result<String, EngineError> {
        let key = load_or_make(&self.dirs.permission_key())?;
        mark(&key, tool_use)
            .map_err(|source| EngineError::io("mark the use of a tool", source.into()))
    }
}

fn mark(key: &Key, tool_use: &ToolUse) -> serde_json::Result<String> {
    let whole = serde_json::to_vec(tool_use)?;
    Ok(blake3::keyed_hash(key, &whole).to_hex().to_string())
}

/// A key that was lost costs no more than being asked again.
fn load_or_make(file: &Path) -> Result<Key, EngineError> {
    let fail = |source| EngineError::io(format!("read {}", file.display()), source);
    if let Some(key) = find(file).map_err(fail)? {
        return Ok(key);
    }
    let key = random_bytes()?;
    match write_new(file, &key) {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // Somebody else was first, and both must mean the same by a mark.
            let first = find(file).map_err(fail)?;
            first.ok_or_else(|| fail(io::Error::other("it is not a key; remove it")))
        }
        Err(source) => Err(EngineError::io(format!("write {}", file.display()), source)),
    }
}

fn find(file: &Path) -> io::Result<Option<Key>> {
    match fs::read(file) {
        Ok(bytes) => Ok(bytes.try_into().ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whole or not at all, and its owner's alone from the beginning.
fn write_new(file: &Path, key: &Key) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut made = tempfile::NamedTempFile::new_in(folder)?;
    made.write_all(key)?;
    made.as_file().sync_all()?;
    made.persist_noclobber(file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use orchestra_core::ToolKind;
    use serde_json::json;

    use super::*;

    fn login(word: &str) -> ToolUse {
        ToolUse {
            tool: "Bash".to_owned(),
            kind: ToolKind::Execute,
            input: json!({"cmd": format!("login {word}")}),
        }
    }

    #[test]
    fn a_mark_tells_uses_apart_and_nothing_about_them() {
        let of = |key, word| mark(&[key; blake3::KEY_LEN], &login(word)).unwrap();
        assert_eq!(of(1, "one"), of(1, "one"));
        assert_ne!(of(1, "one"), of(1, "two"));
        assert_ne!(of(1, "one"), of(2, "one"), "without the key nobody can try");
        assert!(!of(1, "one").contains("one"));
    }

    #[test]
    fn the_key_is_made_once_and_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("permission.key");
        let key = load_or_make(&file).unwrap();
        assert_eq!(load_or_make(&file).unwrap(), key);
        assert!(write_new(&file, &[0; 32]).is_err(), "it is never replaced");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::write(&file, "short").unwrap();
        assert!(load_or_make(&file).is_err());
    }
}
