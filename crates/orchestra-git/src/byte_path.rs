//! Paths as git prints and reads them: bytes. On Unix nothing is lost; elsewhere git speaks UTF-8.

use std::path::{Path, PathBuf};

#[cfg(unix)]
pub(crate) fn from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(unix)]
pub(crate) fn to_bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(not(unix))]
pub(crate) fn from_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(not(unix))]
pub(crate) fn to_bytes(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}

/// A path that is the content of one of git's files: everything but the line breaks at the end.
pub(crate) fn trimmed_path(content: &[u8]) -> PathBuf {
    let end = content
        .iter()
        .rposition(|byte| !matches!(byte, b'\n' | b'\r'))
        .map_or(0, |last| last + 1);
    from_bytes(&content[..end])
}

/// Paths as the NUL-separated list that `--pathspec-from-file=- --pathspec-file-nul` reads.
pub(crate) fn nul_list<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Vec<u8> {
    let mut list = Vec::new();
    for path in paths {
        list.extend(to_bytes(path));
        list.push(0);
    }
    list
}

/// The path without links, as far as it exists.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let existing = absolute
        .ancestors()
        .find_map(|dir| Some((dir, dir.canonicalize().ok()?)));
    match existing {
        Some((dir, real)) if dir == absolute => real,
        Some((dir, real)) => absolute
            .strip_prefix(dir)
            .map_or_else(|_| absolute.clone(), |rest| real.join(rest)),
        None => absolute,
    }
}

/// A short stable name for a path, for files in the private directory. Collisions only make two repositories share a lock.
pub(crate) fn fingerprint(path: &Path) -> String {
    let hash = to_bytes(path)
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_survive() {
        for bytes in [&b"a b"[..], b"a\nb", b"-x", "größe".as_bytes()] {
            assert_eq!(to_bytes(&from_bytes(bytes)), bytes);
        }
        #[cfg(unix)]
        assert_eq!(to_bytes(&from_bytes(b"\xff\xfe")), b"\xff\xfe");
    }

    #[test]
    fn lists_end_every_path_with_nul() {
        assert_eq!(
            nul_list(&[PathBuf::from("a"), PathBuf::from("b c")]),
            b"a\0b c\0"
        );
    }

    #[test]
    fn no_separator_is_left_at_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap();
        for (name, rest) in [("", ""), ("/", ""), ("gone", "gone"), ("gone/", "gone")] {
            let found = resolved(&PathBuf::from(format!("{}/{name}", real.display())));
            let expected = [real.to_str().unwrap(), rest].join("/");
            assert_eq!(found.to_str().unwrap(), expected.trim_end_matches('/'));
        }
    }

    #[test]
    fn fingerprints_are_stable() {
        assert_eq!(fingerprint(Path::new("/a")), "07d66707b49cd92d");
        assert_ne!(fingerprint(Path::new("/a")), fingerprint(Path::new("/b")));
    }
}
