//! Every reference that all worktrees share, by its full name.

use std::collections::BTreeMap;
use std::path::Path;

use super::SurroundingChange;
use crate::error::{AtPath, GitError};
use crate::ref_file::packed_records;
use crate::repository::Repository;

/// Copies of what a remote has: whoever fetches changes them.
const OF_REMOTES: &str = "refs/remotes/";
/// Looked at apart.
const STASH: &str = "refs/stash";

/// All references but those of remotes and the stash. No git process, unless they are stored in another form.
pub(super) fn all(repository: &Repository) -> Result<BTreeMap<String, String>, GitError> {
    let common = repository.common_dir();
    let mut found = BTreeMap::new();
    if common.join("reftable").exists() {
        return ask(repository);
    }
    // A reference that is packed meanwhile is in both or in the second.
    put_loose(common, "refs", &mut found)?;
    let path = common.join("packed-refs");
    match std::fs::read(&path) {
        Ok(bytes) => {
            for (id, name) in packed_records(&bytes) {
                put(&mut found, name, id);
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(GitError::io(&path, error)),
    }
    Ok(found)
}

fn put(found: &mut BTreeMap<String, String>, name: &str, value: &str) {
    if is_watched(name) {
        let value = || value.trim_end().to_owned();
        found.entry(name.to_owned()).or_insert_with(value);
    }
}

fn is_watched(name: &str) -> bool {
    name != STASH && !name.starts_with(OF_REMOTES)
}

fn put_loose(
    common: &Path,
    name: &str,
    found: &mut BTreeMap<String, String>,
) -> Result<(), GitError> {
    let directory = common.join(name);
    let Ok(entries) = std::fs::read_dir(&directory) else {
        return Ok(());
    };
    for entry in entries {
        let entry = entry.at(&directory)?;
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().at(&directory)?;
        if kind.is_dir() {
            put_loose(common, &name, found)?;
        } else if !name.ends_with(".lock")
            && is_watched(&name)
            && let Ok(value) = std::fs::read_to_string(entry.path())
        {
            put(found, &name, &value);
        }
    }
    Ok(())
}

fn ask(repository: &Repository) -> Result<BTreeMap<String, String>, GitError> {
    let call = repository
        .call("for-each-ref")
        .arg("--format=%(objectname) %(refname)");
    let answer = repository.git().run(&call)?.require_success()?;
    let mut found = BTreeMap::new();
    for (id, name) in packed_records(&answer.stdout) {
        put(&mut found, name, id);
    }
    Ok(found)
}

pub(super) fn differences(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> Vec<SurroundingChange> {
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    let differs = |name: &&String| before.get(*name) != now.get(*name);
    let changed = now.keys().filter(differs).chain(gone);
    changed
        .map(|name| SurroundingChange::Reference {
            name: name.clone(),
            from: before.get(name).cloned(),
            to: now.get(name).cloned(),
        })
        .collect()
}
