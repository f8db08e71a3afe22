//! References of a workspace, read as files: whoever asked git would let it read the agent's configuration.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use orchestra_core::CommitId;

use super::WorkspaceError;
use crate::error::AtPath;
use crate::ref_file::packed_records;

/// More bytes than this no file of references has.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// More references than this are not looked at.
const MOST: usize = 200_000;
const DEEPEST: usize = 32;

/// References by their full names.
pub(super) type References = BTreeMap<String, CommitId>;

/// What is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CheckedOut {
    Reference(String),
    Commit(CommitId),
}

/// All references of a git directory that lead to an object.
pub(super) fn read(git_dir: &Path) -> Result<References, WorkspaceError> {
    if fs::symlink_metadata(git_dir.join("reftable")).is_ok() {
        let problem = "its references are stored in another form";
        return Err(WorkspaceError::rejected(problem));
    }
    let mut found = match read_plain(&git_dir.join("packed-refs"))? {
        Some(bytes) => parse(&bytes),
        None => References::new(),
    };
    put_loose(git_dir, "refs", DEEPEST, &mut found)?;
    Ok(found)
}

/// Lines of id and name.
pub(super) fn parse(bytes: &[u8]) -> References {
    let records = packed_records(bytes);
    let named = records.filter_map(|(id, name)| Some((name.to_owned(), id.parse().ok()?)));
    named.filter(|(name, _)| is_plain(name)).collect()
}

pub(super) fn lines(references: &References) -> String {
    let mut text = String::new();
    for (name, id) in references {
        text.push_str(&format!("{id} {name}\n"));
    }
    text
}

/// What `HEAD` says.
pub(super) fn head(git_dir: &Path) -> Result<Option<CheckedOut>, WorkspaceError> {
    head_in(&git_dir.join("HEAD"))
}

/// What is written in a file as `HEAD` is.
pub(super) fn head_in(file: &Path) -> Result<Option<CheckedOut>, WorkspaceError> {
    let text = read_plain(file)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let text = text.trim();
    Ok(match text.strip_prefix("ref: ") {
        Some(name) => Some(CheckedOut::Reference(name.trim().to_owned())),
        None => text.parse().ok().map(CheckedOut::Commit),
    })
}

/// The content of a file, if it is one: neither a link nor something to wait for.
pub(super) fn read_plain(path: &Path) -> Result<Option<Vec<u8>>, WorkspaceError> {
    let facts = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        facts => facts.at(path)?,
    };
    if !facts.is_file() || facts.len() > MOST_BYTES {
        let problem = format!("`{}` is not a file of git's", path.display());
        return Err(WorkspaceError::rejected(problem));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).at(path)?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).at(path)?;
    Ok(Some(bytes))
}

/// A loose reference outranks a packed one.
fn put_loose(
    git_dir: &Path,
    name: &str,
    depth: usize,
    found: &mut References,
) -> Result<(), WorkspaceError> {
    let directory = git_dir.join(name);
    let is_directory = |facts: fs::Metadata| facts.is_dir();
    if depth == 0 || found.len() > MOST {
        return Err(WorkspaceError::rejected("it has too many references"));
    }
    if !fs::symlink_metadata(&directory).is_ok_and(is_directory) {
        return Ok(());
    }
    for entry in fs::read_dir(&directory).at(&directory)? {
        let entry = entry.at(&directory)?;
        let kind = entry.file_type().at(&directory)?;
        let Ok(last) = entry.file_name().into_string() else {
            continue;
        };
        let name = format!("{name}/{last}");
        if kind.is_dir() {
            put_loose(git_dir, &name, depth - 1, found)?;
        } else if kind.is_file() && is_plain(&name) && !name.ends_with(".lock") {
            put_file(&entry.path(), name, found)?;
        }
    }
    Ok(())
}

fn put_file(path: &Path, name: String, found: &mut References) -> Result<(), WorkspaceError> {
    let bytes = read_plain(path)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    if let Ok(id) = text.trim_end().parse() {
        found.insert(name, id);
    }
    Ok(())
}

/// Whether a name can be written to a line and shown.
fn is_plain(name: &str) -> bool {
    let is_fine = |part: &str| !part.is_empty() && part != "." && part != "..";
    name.starts_with("refs/")
        && name.split('/').all(is_fine)
        && !name.chars().any(|it| it.is_control() || it == ' ')
}

/// Whether two names exclude each other: `a` and `a/b`.
pub(super) fn exclude_each_other(one: &str, other: &str) -> bool {
    let is_below = |below: &str, above: &str| {
        below
            .strip_prefix(above)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    one == other || is_below(one, other) || is_below(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: char) -> CommitId {
        digit.to_string().repeat(40).parse().unwrap()
    }

    #[test]
    fn loose_ones_outrank_packed_ones_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let git = dir.path();
        fs::create_dir_all(git.join("refs/heads/amp")).unwrap();
        let packed = format!("{} refs/heads/amp/a\n{} refs/tags/v1\n", id('1'), id('2'));
        fs::write(git.join("packed-refs"), packed).unwrap();
        fs::write(git.join("refs/heads/amp/a"), format!("{}\n", id('3'))).unwrap();
        fs::write(git.join("refs/heads/amp/b.lock"), format!("{}\n", id('4'))).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(git.join("packed-refs"), git.join("refs/heads/link")).unwrap();
        let found = read(git).unwrap();
        assert_eq!(
            lines(&found),
            format!("{} refs/heads/amp/a\n{} refs/tags/v1\n", id('3'), id('2'))
        );
        assert_eq!(parse(lines(&found).as_bytes()), found);
        fs::create_dir(git.join("reftable")).unwrap();
        assert_eq!(read(git).unwrap_err().code(), "workspace.rejected");
    }

    #[test]
    fn a_name_and_one_below_it_exclude_each_other() {
        assert!(exclude_each_other("refs/heads/a", "refs/heads/a/b"));
        assert!(exclude_each_other("refs/heads/a/b", "refs/heads/a"));
        assert!(!exclude_each_other("refs/heads/a", "refs/heads/ab"));
    }
}
