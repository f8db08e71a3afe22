//! Finding the programs under test.

use std::path::PathBuf;

/// The path of a program of this workspace, built in the same profile as the running test.
///
/// # Panics
/// When it has not been built.
pub fn bin(name: &str) -> PathBuf {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let test = std::env::current_exe().expect("a running test has a path");
    let found = test
        .ancestors()
        .skip(1)
        .take(3)
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!(
            "`{name}` is not built; build it first: cargo build -p {}",
            package(name)
        )
    })
}

fn package(name: &str) -> &str {
    if name == "fake-amp" {
        "orchestra-testkit"
    } else {
        "orchestra-cli"
    }
}
