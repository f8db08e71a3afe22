//! Finding the programs under test.

use std::path::{Path, PathBuf};

/// Names the folder of the programs under test.
const FOLDER: &str = "ORCHESTRA_TEST_BINARIES";

/// The path of a program of this workspace, built in the same profile as the running test, or in the folder that
/// `ORCHESTRA_TEST_BINARIES` names: so that tests can try the programs that users get.
///
/// # Panics
/// When it has not been built.
pub fn bin(name: &str) -> PathBuf {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let found = folders()
        .into_iter()
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!(
            "`{name}` is not built; build it first: cargo build -p {}",
            package(name)
        )
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test asks its own environment which programs it tries"
)]
fn folders() -> Vec<PathBuf> {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return vec![folder.into()];
    }
    let test = std::env::current_exe().expect("a running test has a path");
    let around = test.ancestors().skip(1).take(3);
    around.map(Path::to_owned).collect()
}

fn package(name: &str) -> &str {
    match name {
        "fake-amp" | "small-mcp" | "small-web" => "orchestra-testkit",
        _ => "orchestra-cli",
    }
}
