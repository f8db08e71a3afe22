//! Reads references straight from git's files, for what is asked often. Whatever is unusual is left to git.

use std::io::ErrorKind;
use std::path::Path;

use orchestra_core::CommitId;

/// What the files say about a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lookup {
    Found(CommitId),
    Missing,
    /// Another storage format, a symbolic reference, or damage.
    AskGit,
}

/// What the files say about references below a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Below {
    First(String),
    Nothing,
    AskGit,
}

/// What a `HEAD` file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HeadFile {
    Symbolic(String),
    Detached(CommitId),
    AskGit,
}

/// Looks a full reference name up in the shared directory.
pub(crate) fn look_up(common_dir: &Path, full_name: &str) -> Lookup {
    if common_dir.join("reftable").exists() {
        return Lookup::AskGit;
    }
    match std::fs::read_to_string(common_dir.join(full_name)) {
        Ok(text) => text
            .trim_end()
            .parse()
            .map_or(Lookup::AskGit, Lookup::Found),
        Err(error) if is_absent(&error) => look_up_packed(common_dir, full_name),
        Err(_) => Lookup::AskGit,
    }
}

/// Looks for any reference below a full name, such as `refs/heads/amp/x` below `refs/heads/amp`.
pub(crate) fn look_below(common_dir: &Path, full_name: &str) -> Below {
    if common_dir.join("reftable").exists() {
        return Below::AskGit;
    }
    if let Some(name) = first_loose(common_dir, full_name) {
        return Below::First(name);
    }
    let prefix = format!("{full_name}/");
    match std::fs::read(common_dir.join("packed-refs")) {
        Ok(bytes) => {
            let first = packed_records(&bytes)
                .map(|(_, name)| name)
                .find(|name| name.starts_with(&prefix));
            first.map_or(Below::Nothing, |name| Below::First(name.to_owned()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Below::Nothing,
        Err(_) => Below::AskGit,
    }
}

/// Reads the `HEAD` of a checkout.
pub(crate) fn read_head(git_dir: &Path) -> HeadFile {
    let Ok(text) = std::fs::read_to_string(git_dir.join("HEAD")) else {
        return HeadFile::AskGit;
    };
    let text = text.trim_end();
    match text.strip_prefix("ref: ") {
        Some("refs/heads/.invalid") => HeadFile::AskGit,
        Some(name) => HeadFile::Symbolic(name.trim().to_owned()),
        None => text.parse().map_or(HeadFile::AskGit, HeadFile::Detached),
    }
}

fn look_up_packed(common_dir: &Path, full_name: &str) -> Lookup {
    match std::fs::read(common_dir.join("packed-refs")) {
        Ok(bytes) => find_packed(&bytes, full_name).map_or(Lookup::Missing, Lookup::Found),
        Err(error) if error.kind() == ErrorKind::NotFound => Lookup::Missing,
        Err(_) => Lookup::AskGit,
    }
}

fn find_packed(bytes: &[u8], full_name: &str) -> Option<CommitId> {
    packed_records(bytes)
        .find(|(_, name)| *name == full_name)
        .and_then(|(id, _)| id.parse().ok())
}

/// Pairs of id and name; comments and peeled tags are left out.
pub(crate) fn packed_records(bytes: &[u8]) -> impl Iterator<Item = (&str, &str)> {
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.starts_with(b"#") && !line.starts_with(b"^"));
    lines.filter_map(|line| std::str::from_utf8(line).ok()?.split_once(' '))
}

/// The first file below a directory of references. git leaves empty directories, which mean nothing.
fn first_loose(common_dir: &Path, full_name: &str) -> Option<String> {
    for entry in std::fs::read_dir(common_dir.join(full_name))
        .ok()?
        .flatten()
    {
        let name = format!("{full_name}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            if let Some(found) = first_loose(common_dir, &name) {
                return Some(found);
            }
        } else if !name.ends_with(".lock") {
            return Some(name);
        }
    }
    None
}

/// A directory where the file would be means that only longer names exist.
fn is_absent(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::IsADirectory | ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: char) -> CommitId {
        digit.to_string().repeat(40).parse().unwrap()
    }

    #[test]
    fn loose_before_packed() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("refs/heads/amp")).unwrap();
        let packed = format!(
            "# pack-refs with: peeled\n{} refs/heads/a\n^{}\n{} refs/heads/b\n",
            id('1'),
            id('9'),
            id('2')
        );
        std::fs::write(dir.path().join("packed-refs"), packed).unwrap();
        std::fs::write(dir.path().join("refs/heads/a"), format!("{}\n", id('3'))).unwrap();
        std::fs::write(dir.path().join("refs/heads/link"), "ref: refs/heads/a\n").unwrap();
        assert_eq!(look_up(dir.path(), "refs/heads/a"), Lookup::Found(id('3')));
        assert_eq!(look_up(dir.path(), "refs/heads/b"), Lookup::Found(id('2')));
        assert_eq!(look_up(dir.path(), "refs/heads/amp"), Lookup::Missing);
        assert_eq!(look_up(dir.path(), "refs/heads/a/b"), Lookup::Missing);
        assert_eq!(look_up(dir.path(), "refs/heads/link"), Lookup::AskGit);
        std::fs::create_dir(dir.path().join("reftable")).unwrap();
        assert_eq!(look_up(dir.path(), "refs/heads/a"), Lookup::AskGit);
    }

    #[test]
    fn names_below_are_found() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("refs/heads/amp/empty")).unwrap();
        assert_eq!(look_below(dir.path(), "refs/heads/amp"), Below::Nothing);
        std::fs::write(
            dir.path().join("packed-refs"),
            format!("{} refs/heads/amp/packed\n", id('1')),
        )
        .unwrap();
        assert_eq!(
            look_below(dir.path(), "refs/heads/amp"),
            Below::First("refs/heads/amp/packed".into())
        );
        assert_eq!(look_below(dir.path(), "refs/heads/am"), Below::Nothing);
        std::fs::write(dir.path().join("refs/heads/amp/empty/loose"), "").unwrap();
        assert_eq!(
            look_below(dir.path(), "refs/heads/amp"),
            Below::First("refs/heads/amp/empty/loose".into())
        );
        std::fs::create_dir(dir.path().join("reftable")).unwrap();
        assert_eq!(look_below(dir.path(), "refs/heads/amp"), Below::AskGit);
    }

    #[test]
    fn heads_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let head = |text: &str| {
            std::fs::write(dir.path().join("HEAD"), text).unwrap();
            read_head(dir.path())
        };
        assert_eq!(
            head("ref: refs/heads/main\n"),
            HeadFile::Symbolic("refs/heads/main".into())
        );
        assert_eq!(head(&format!("{}\n", id('a'))), HeadFile::Detached(id('a')));
        assert_eq!(head("ref: refs/heads/.invalid\n"), HeadFile::AskGit);
        assert_eq!(head(""), HeadFile::AskGit);
        std::fs::remove_file(dir.path().join("HEAD")).unwrap();
        assert_eq!(read_head(dir.path()), HeadFile::AskGit);
    }
}
