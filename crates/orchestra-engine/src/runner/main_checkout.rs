//! The main checkout is the user's own. What became of it while an agent worked is told, and never undone.

use orchestra_git::{Head, Worktree};

/// What the main checkout of a worktree's repository has checked out, as far as that can be read.
pub(super) fn head_of_main(worktree: &Worktree) -> Option<Head> {
    let repository = worktree.repository();
    let checkout = repository.worktree_at(repository.root()).ok()?;
    checkout.head().ok()
}

/// A branch that only moved on may have got what another session landed.
pub(super) fn note_of_change(before: Option<&Head>, after: Option<&Head>) -> Option<String> {
    let (before, after) = (before?, after?);
    let is_same = match (before, after) {
        (Head::Branch { name: one, .. }, Head::Branch { name: other, .. }) => one == other,
        _ => before == after,
    };
    (!is_same).then(|| {
        let (now, then) = (in_words(after), in_words(before));
        format!("the main checkout has {now} checked out now, and had {then} before the agent ran")
    })
}

fn in_words(head: &Head) -> String {
    match head {
        Head::Branch { name, .. } => format!("`{name}`"),
        Head::Unborn(name) => format!("`{name}` without commits"),
        Head::Detached(commit) => format!("commit {}", commit.short()),
    }
}
