//! Paths in messages.

use std::path::PathBuf;

use orchestra_core::and_more;

const SHOWN: usize = 5;

/// The first paths, and how many more there are.
pub(crate) fn shown(paths: &[PathBuf]) -> String {
    let mut names: Vec<_> = paths
        .iter()
        .take(SHOWN)
        .map(|path| format!("`{}`", path.display()))
        .collect();
    names.extend(and_more(paths.len(), SHOWN));
    names.join(", ")
}
