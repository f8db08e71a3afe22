//! Traps in a repository: every known way in which git can be made to run a program, or to talk to a stranger, by
//! what an agent may write into its tree.
//!
//! A trap that is sprung adds its name to a marker file. [`plant_all`] sets all of them at once; [`plant`] sets one,
//! so that a test can show that plain git does fall into it.

mod catalogue;
mod listener;
mod site;

use std::path::Path;

pub use catalogue::HOOKS;

use site::Site;

/// The names of all traps, hooks aside.
pub fn names() -> Vec<&'static str> {
    catalogue::TRAPS.iter().map(|trap| trap.name).collect()
}

/// Sets every trap in a repository and one of its worktrees (which may be the same folder) and returns their names.
///
/// The trap in a rebase is only set when a rebase is in progress. Git hooks report as `hook.<name>`; those reached
/// through `core.hooksPath` as `core.hooksPath`.
///
/// # Panics
/// When the repository cannot be written.
pub fn plant_all(repo: &Path, worktree: &Path, marker: &Path) -> Vec<&'static str> {
    let site = Site::new(repo, worktree, marker);
    let planted = catalogue::TRAPS
        .iter()
        .filter(|trap| (trap.set)(&site, trap.name));
    planted.map(|trap| trap.name).collect()
}

/// Sets one trap; `false` when its place does not exist.
///
/// # Panics
/// When there is no trap of that name, or the repository cannot be written.
pub fn plant(name: &str, repo: &Path, worktree: &Path, marker: &Path) -> bool {
    let trap = catalogue::TRAPS.iter().find(|trap| trap.name == name);
    let trap = trap.unwrap_or_else(|| panic!("there is no trap called {name}"));
    (trap.set)(&Site::new(repo, worktree, marker), trap.name)
}

/// The names of the traps that were sprung, each once, sorted.
pub fn executed(marker: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(marker).unwrap_or_default();
    let mut names: Vec<String> = text.lines().map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}
