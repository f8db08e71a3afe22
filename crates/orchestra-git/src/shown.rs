//! Paths in messages.

use std::path::PathBuf;

use orchestra_core::first_of;

const SHOWN: usize = 5;

/// The first paths, and how many more there are.
pub(crate) fn shown(paths: &[PathBuf]) -> String {
    let names = paths.iter().map(|path| format!("`{}`", path.display()));
    first_of(names, SHOWN)
}
