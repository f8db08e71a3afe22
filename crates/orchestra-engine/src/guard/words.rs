//! What changed around a worktree, in words.

use std::collections::BTreeMap;
use std::path::PathBuf;

use orchestra_core::{GuardFinding, GuardPlace, SessionId, first_of, visible_line};
use orchestra_git::{CheckoutPlace, FileFate, StashEntry, SurroundingChange, Worktree};

use super::KnownSession;

/// More paths are counted only.
const SHOWN_PATHS: usize = 5;
const SHORT: usize = 10;

pub(super) fn finding(
    change: &SurroundingChange,
    sessions: &BTreeMap<SessionId, KnownSession>,
) -> GuardFinding {
    let (place, what) = match change {
        SurroundingChange::Reference { name, from, to } => {
            let what = reference(name, from.as_deref(), to.as_deref());
            (GuardPlace::Reference, what)
        }
        SurroundingChange::Stash { .. } => (GuardPlace::Stash, "the stash is different".to_owned()),
        SurroundingChange::GitFile { path, from, to, .. } => {
            let path = visible_line(path);
            let what = came_or_went(&format!("`.git/{path}`"), from.is_some(), to.is_some());
            (GuardPlace::GitDirectory, what)
        }
        SurroundingChange::WorktreeList { worktree, is_there } => {
            let worktree = visible_line(&worktree.to_string_lossy());
            let what = match is_there {
                true => format!("the worktree {worktree} was added"),
                false => format!("the worktree {worktree} was removed"),
            };
            (GuardPlace::Worktree, what)
        }
        SurroundingChange::Directory {
            checkout,
            is_replaced,
        } => {
            let name = name_of(checkout, sessions);
            let what = match is_replaced {
                true => format!("{name} was removed or moved, and something else is there now"),
                false => format!("{name} was removed or moved"),
            };
            (place_of(checkout), what)
        }
        SurroundingChange::Head { checkout, from, to } => {
            let (now, then) = (head(to), head(from));
            let name = name_of(checkout, sessions);
            let what =
                format!("{name} has {now} checked out now, and had {then} before the agent ran");
            (place_of(checkout), what)
        }
        SurroundingChange::Index { checkout, paths } => {
            let what = format!("{} is staged otherwise", listed(paths));
            (place_of(checkout), within(checkout, sessions, &what))
        }
        SurroundingChange::PassedOver { checkout, paths } => {
            let what = format!(
                "git was told to pass over {} or to look at it again (`git update-index`)",
                listed(paths)
            );
            (place_of(checkout), within(checkout, sessions, &what))
        }
        SurroundingChange::File {
            checkout,
            path,
            fate,
        } => {
            let path = visible_line(&path.to_string_lossy());
            let what = match fate {
                FileFate::Changed => format!("`{path}` was changed"),
                FileFate::Removed => format!("`{path}` was removed"),
                FileFate::Untracked => {
                    format!("`{path}`, which git does not track, was made or changed")
                }
            };
            (place_of(checkout), within(checkout, sessions, &what))
        }
    };
    GuardFinding { place, what }
}

fn place_of(checkout: &CheckoutPlace) -> GuardPlace {
    match checkout.is_main {
        true => GuardPlace::MainCheckout,
        false => GuardPlace::Worktree,
    }
}

fn name_of(checkout: &CheckoutPlace, sessions: &BTreeMap<SessionId, KnownSession>) -> String {
    if checkout.is_main {
        return "the main checkout".to_owned();
    }
    let owner = sessions.values().find(|it| it.worktree == checkout.path);
    match owner {
        Some(owner) => format!("the worktree of `{}`", visible_line(&owner.name)),
        None => format!(
            "the worktree {}",
            visible_line(&checkout.path.to_string_lossy())
        ),
    }
}

fn within(
    checkout: &CheckoutPlace,
    sessions: &BTreeMap<SessionId, KnownSession>,
    what: &str,
) -> String {
    format!("in {}, {what}", name_of(checkout, sessions))
}

fn listed(paths: &[PathBuf]) -> String {
    let shown = paths.iter();
    let shown = shown.map(|path| format!("`{}`", visible_line(&path.to_string_lossy())));
    first_of(shown, SHOWN_PATHS)
}

fn came_or_went(what: &str, was_there: bool, is_there: bool) -> String {
    match (was_there, is_there) {
        (false, _) => format!("{what} is new"),
        (true, false) => format!("{what} was removed"),
        (true, true) => format!("{what} was changed"),
    }
}

fn reference(name: &str, from: Option<&str>, to: Option<&str>) -> String {
    let name = visible_line(name);
    let named = match (
        name.strip_prefix("refs/heads/"),
        name.strip_prefix("refs/tags/"),
    ) {
        (Some(branch), _) => format!("the branch `{branch}`"),
        (_, Some(tag)) => format!("the tag `{tag}`"),
        (None, None) => format!("the reference `{name}`"),
    };
    match (from, to) {
        (None, Some(to)) => format!("{named} is new, at {}", short(to)),
        (Some(from), None) => format!("{named} was deleted; it was at {from}"),
        (from, to) => {
            let (from, to) = (from.unwrap_or_default(), to.unwrap_or_default());
            format!("{named} was moved from {from} to {}", short(to))
        }
    }
}

fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

/// What a `HEAD` file says.
fn head(text: &str) -> String {
    match text.strip_prefix("ref: refs/heads/") {
        Some(branch) => format!("`{}`", visible_line(branch)),
        None => format!("commit {}", short(&visible_line(text))),
    }
}

/// What the agent stashed.
pub(super) fn stashed(entry: &StashEntry, worktree: &Worktree, is_out: bool) -> String {
    let (message, commit) = (visible_line(&entry.message), &entry.commit);
    let place = visible_line(&worktree.path().to_string_lossy());
    match is_out {
        true => format!(
            "the agent stashed `{message}`; it was taken out of the stash that all worktrees share and is kept: \
             git -C '{place}' stash apply {commit}"
        ),
        false => format!(
            "the agent stashed `{message}`, and it could not be taken out of the stash that all worktrees share"
        ),
    }
}

/// An entry that belongs to nobody we know.
pub(super) fn foreign_stash(entry: &StashEntry) -> String {
    let (message, commit) = (visible_line(&entry.message), short(&entry.commit));
    format!("the stash has a new entry, `{message}` ({commit})")
}

/// An entry that was there and is gone.
pub(super) fn unstashed(entry: &StashEntry, is_kept: bool) -> String {
    let (message, commit) = (visible_line(&entry.message), &entry.commit);
    let kept = match is_kept {
        true => "; it is kept",
        false => "",
    };
    format!(
        "the entry `{message}` of the stash is gone{kept}: `git stash store -m '{message}' {commit}` brings it back"
    )
}
