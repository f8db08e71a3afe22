//! The `orchestra` program that runs agents. It comes with the app and is used as a copy in the data directory, one per build:
//! an update, an unmounted image or an installer replaces the app's files, and agents that run then must keep theirs.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::StartError;

const FOLDER: &str = "programs";
/// So many of a hash tell one build from another.
const DIGITS: usize = 16;

/// The copy of the program beside this one, made if it is not there yet.
pub(crate) fn prepare(data: &Path) -> Result<PathBuf, StartError> {
    let beside = beside_this_one()?;
    copy_of(&beside, &data.join(FOLDER))
}

/// Removes the copies of other builds. Only for when nothing runs under one of them.
pub(crate) fn forget_others(current: &Path) -> io::Result<()> {
    let Some(folder) = current.parent() else {
        return Ok(());
    };
    for entry in fs::read_dir(folder)?.flatten() {
        if entry.path() != current {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn beside_this_one() -> Result<PathBuf, StartError> {
    let this = std::env::current_exe().map_err(|source| StartError::Io {
        action: "find this program",
        source,
    })?;
    let beside = this.with_file_name(format!("orchestra{EXE_SUFFIX}"));
    match beside.is_file() {
        true => Ok(beside),
        false => Err(StartError::ProgramMissing(beside)),
    }
}

fn copy_of(program: &Path, folder: &Path) -> Result<PathBuf, StartError> {
    let failed = |action| move |source| StartError::Io { action, source };
    let content = fs::read(program).map_err(failed("read the program that runs agents"))?;
    let hash = blake3::hash(&content).to_hex();
    let name = format!(
        "orchestra-{}-{}{EXE_SUFFIX}",
        env!("CARGO_PKG_VERSION"),
        &hash[..DIGITS]
    );
    let copy = folder.join(name);
    let is_whole = fs::metadata(&copy).is_ok_and(|it| it.len() == content.len() as u64);
    if !is_whole {
        write_copy(&content, folder, &copy).map_err(failed("copy the program that runs agents"))?;
    }
    Ok(copy)
}

/// Whole or not at all: two apps may start at once.
fn write_copy(content: &[u8], folder: &Path, copy: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    let new = folder.join(format!("new-{}", std::process::id()));
    fs::write(&new, content)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&new, fs::Permissions::from_mode(0o700))?;
    }
    fs::rename(&new, copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_build_has_a_copy_of_its_own() {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("orchestra");
        let folder = place.path().join("programs");
        fs::write(&program, "one").unwrap();
        let first = copy_of(&program, &folder).unwrap();
        assert_eq!(copy_of(&program, &folder).unwrap(), first);
        fs::write(&program, "two").unwrap();
        let second = copy_of(&program, &folder).unwrap();
        assert_ne!(first, second);
        assert_eq!(fs::read_to_string(&first).unwrap(), "one");
        assert_eq!(fs::read_to_string(&second).unwrap(), "two");
        forget_others(&second).unwrap();
        assert!(!first.exists() && second.exists());
    }

    #[test]
    fn a_copy_that_was_cut_off_is_made_again() {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("orchestra");
        let folder = place.path().join("programs");
        fs::write(&program, "whole").unwrap();
        let copy = copy_of(&program, &folder).unwrap();
        fs::write(&copy, "wh").unwrap();
        assert_eq!(
            fs::read_to_string(copy_of(&program, &folder).unwrap()).unwrap(),
            "whole"
        );
    }
}
