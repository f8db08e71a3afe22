//! Finding a program in a search path.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file that `program` names: itself when it has a directory part, otherwise the first
/// executable file of that name in `search_path`.
pub fn find_program(program: &Path, search_path: Option<&OsStr>) -> Option<PathBuf> {
    if program.components().count() != 1 {
        return is_executable(program).then(|| program.to_path_buf());
    }
    std::env::split_paths(search_path?)
        .filter(|directory| directory.is_absolute())
        .flat_map(|directory| candidates(&directory, program))
        .find(|candidate| is_executable(candidate))
}

#[cfg(unix)]
fn candidates(directory: &Path, program: &Path) -> Vec<PathBuf> {
    vec![directory.join(program)]
}

#[cfg(not(unix))]
fn candidates(directory: &Path, program: &Path) -> Vec<PathBuf> {
    let plain = directory.join(program);
    if program.extension().is_some() {
        return vec![plain];
    }
    ["exe", "cmd", "bat"]
        .iter()
        .map(|extension| plain.with_extension(extension))
        .collect()
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn finds_only_executable_files_in_absolute_directories() {
        let path = OsStr::new("relative:/nonexistent:/bin:/usr/bin");
        let found = find_program(Path::new("sh"), Some(path));
        assert_eq!(found, Some(PathBuf::from("/bin/sh")));
        assert_eq!(
            find_program(Path::new("passwd"), Some(OsStr::new("/etc"))),
            None
        );
        assert_eq!(find_program(Path::new("sh"), None), None);
    }

    #[test]
    fn keeps_a_path_as_it_is() {
        let sh = Path::new("/bin/sh");
        assert_eq!(find_program(sh, None).as_deref(), Some(sh));
        assert_eq!(find_program(Path::new("/no/such/program"), None), None);
    }
}
