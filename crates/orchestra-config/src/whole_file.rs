//! Files that readers see as they were or as they are, never half-written.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// What happens to a file that has the name already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SameName {
    /// It stays, and nothing is written.
    Refuse,
    /// The new one takes its place.
    Replace,
}

/// Writes beside the file and then gives it its name. A new file is for the user alone; an old one keeps its permissions. A
/// link with that name is replaced, not followed.
///
/// # Errors
/// If the directory cannot be written to, or with [`io::ErrorKind::AlreadyExists`] if the name is taken and stays so.
pub fn write_whole(file: &Path, text: &str, same_name: SameName) -> io::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    let mut unfinished = tempfile::NamedTempFile::with_prefix_in(".unfinished-", directory)?;
    unfinished.write_all(text.as_bytes())?;
    if let Some(old) = fs::symlink_metadata(file)
        .ok()
        .filter(fs::Metadata::is_file)
    {
        unfinished.as_file().set_permissions(old.permissions())?;
    }
    unfinished.as_file().sync_all()?;
    match same_name {
        SameName::Replace => unfinished.persist(file)?,
        SameName::Refuse => unfinished.persist_noclobber(file)?,
    };
    sync_directory(directory)
}

/// A new name is safe once its directory is written; other systems do it with the file.
fn sync_directory(directory: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => fs::File::open(directory)?.sync_all(),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_is_kept_or_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("one.toml");
        write_whole(&file, "first", SameName::Refuse).unwrap();
        let refused = write_whole(&file, "second", SameName::Refuse).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&file).unwrap(), "first");
        write_whole(&file, "second", SameName::Replace).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "second");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay_and_links_are_not_followed() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| directory.path().join(name));
        let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
        write_whole(&file, "old", SameName::Replace).unwrap();
        assert_eq!(mode(&file), 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        write_whole(&file, "new", SameName::Replace).unwrap();
        assert_eq!(mode(&file), 0o640);
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_whole(&link, "other", SameName::Replace).unwrap();
        assert_eq!(mode(&link), 0o600);
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    }
}
