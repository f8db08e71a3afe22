//! The whole difference as text.

use std::path::{Path, PathBuf};

use orchestra_core::visible;
use orchestra_git::{DiffFormat, DiffRequest, DiffScope, SurroundingChange, Worktree};

/// More of one difference is left out.
const LONGEST: usize = 1024 * 1024;

/// Everything that changed, one after the other.
pub(super) fn text(worktree: &Worktree, changes: &[SurroundingChange]) -> String {
    let mut text = String::new();
    for change in changes {
        let part = match change {
            SurroundingChange::Reference { name, from, to } => {
                reference(worktree, name, from.as_deref(), to.as_deref())
            }
            SurroundingChange::Stash { added, removed } => {
                let line = |sign: char| {
                    move |it: &orchestra_git::StashEntry| {
                        format!("{sign}{} {}\n", it.commit, it.message)
                    }
                };
                let lines = removed.iter().map(line('-'));
                let lines: String = lines.chain(added.iter().map(line('+'))).collect();
                format!("stash\n{lines}")
            }
            SurroundingChange::GitFile { path, from, to, .. } => {
                let (from, to) = (from.as_deref(), to.as_deref());
                lines(
                    &format!(".git/{path}"),
                    from.unwrap_or(""),
                    to.unwrap_or(""),
                )
            }
            SurroundingChange::WorktreeList { worktree, is_there } => {
                let sign = if *is_there { '+' } else { '-' };
                format!("worktrees\n{sign}{}\n", worktree.display())
            }
            SurroundingChange::Directory { checkout, .. } => {
                format!("directories\n-{}\n", checkout.path.display())
            }
            SurroundingChange::Head { checkout, from, to } => {
                let name = format!("HEAD of {}", checkout.path.display());
                lines(&name, from, to)
            }
            SurroundingChange::Index { checkout, paths } => {
                of_checkout(worktree, &checkout.path, DiffScope::Staged, paths)
            }
            SurroundingChange::PassedOver { checkout, paths } => {
                let paths = paths.iter().map(|path| format!("{}\n", path.display()));
                let paths: String = paths.collect();
                format!("{}\n{paths}", checkout.path.display())
            }
            SurroundingChange::File { checkout, path, .. } => {
                let paths = std::slice::from_ref(path);
                of_checkout(worktree, &checkout.path, DiffScope::Unstaged, paths)
            }
        };
        text.push_str(&visible(&part));
        text.push('\n');
    }
    text
}

fn reference(worktree: &Worktree, name: &str, from: Option<&str>, to: Option<&str>) -> String {
    let line =
        |sign: char, id: Option<&str>| id.map_or_else(String::new, |id| format!("{sign}{id}\n"));
    let moved = format!("{name}\n{}{}", line('-', from), line('+', to));
    let commit = |id: Option<&str>| id.and_then(|id| id.parse().ok());
    let (Some(from), Some(to)) = (commit(from), commit(to)) else {
        return moved;
    };
    let scope = DiffScope::Between(from, to);
    moved + &of_worktree(worktree, scope, Vec::new())
}

fn of_checkout(worktree: &Worktree, path: &Path, scope: DiffScope, paths: &[PathBuf]) -> String {
    let header = format!("{}\n", path.display());
    let diff = match worktree.repository().worktree_at(path) {
        Ok(checkout) => of_worktree(&checkout, scope, paths.to_vec()),
        Err(error) => format!("({error})\n"),
    };
    match diff.is_empty() {
        true => paths
            .iter()
            .fold(header, |text, path| format!("{text}{}\n", path.display())),
        false => header + &diff,
    }
}

fn of_worktree(worktree: &Worktree, scope: DiffScope, paths: Vec<PathBuf>) -> String {
    let request = DiffRequest {
        scope,
        format: DiffFormat::Patch,
        color: false,
        paths,
    };
    let mut bytes = Vec::new();
    let mut is_cut = false;
    let diffed = worktree.diff(&request, &mut |chunk| {
        let room = LONGEST.saturating_sub(bytes.len());
        is_cut |= chunk.len() > room;
        bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
    });
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match diffed {
        Ok(()) if is_cut => text + "\n(the rest is left out)\n",
        Ok(()) => text,
        Err(error) => format!("({error})\n"),
    }
}

/// The lines between what both begin and end with.
fn lines(name: &str, from: &str, to: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (from.lines().collect(), to.lines().collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let start = old.iter().zip(&new).take_while(same).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev());
    let end = end.take_while(same).count();
    let part = |sign: char, lines: &[&str]| -> String {
        let lines = &lines[..lines.len() - end];
        lines.iter().map(|line| format!("{sign}{line}\n")).collect()
    };
    let at = start + 1;
    format!(
        "--- {name}\n+++ {name}\n@@ line {at} @@\n{}{}",
        part('-', old),
        part('+', new)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_differ_are_shown() {
        let text = lines(".git/config", "a\nb\nc\n", "a\nx\ny\nc\n");
        assert_eq!(
            text,
            "--- .git/config\n+++ .git/config\n@@ line 2 @@\n-b\n+x\n+y\n"
        );
        assert!(lines("x", "", "new\n").ends_with("@@ line 1 @@\n+new\n"));
        assert!(lines("x", "a\na\n", "a\n").ends_with("-a\n"));
    }
}
