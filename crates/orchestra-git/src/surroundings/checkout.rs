//! The main checkout and the other worktrees: what they have checked out, what is staged, and their files.

mod asked;
#[cfg(target_os = "linux")]
mod looked;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{CheckoutPlace, FileFate, Moment, SurroundingChange, Surroundings};
use crate::error::GitError;
use crate::worktree::Worktree;

/// What a checkout was like.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CheckoutBefore {
    place: CheckoutPlace,
    /// What its directory was; `None`: there was none.
    directory: Option<DirectoryId>,
    /// As git writes it down.
    head: String,
    /// The copy of its index in the folder.
    index: Option<String>,
    /// What was there that git does not track; directories end with a slash. Only of the main checkout.
    untracked: Option<BTreeSet<String>>,
}

/// The device and the number of a directory.
type DirectoryId = (u64, u64);

#[cfg(unix)]
fn directory_of(checkout: &Worktree) -> Option<DirectoryId> {
    use std::os::unix::fs::MetadataExt;
    let facts = checkout.path().metadata().ok()?;
    facts.is_dir().then(|| (facts.dev(), facts.ino()))
}

#[cfg(not(unix))]
fn directory_of(checkout: &Worktree) -> Option<DirectoryId> {
    checkout.path().is_dir().then_some((0, 0))
}

/// Every checkout of the repository but this one.
fn others(worktree: &Worktree) -> Result<Vec<Worktree>, GitError> {
    let mut all = worktree.repository().worktrees_on_disk()?;
    all.retain(|other| other.admin_dir() != worktree.admin_dir());
    Ok(all)
}

fn place_of(checkout: &Worktree) -> CheckoutPlace {
    CheckoutPlace {
        path: checkout.path().to_owned(),
        is_main: checkout.admin_dir() == checkout.repository().common_dir(),
    }
}

fn head_of(checkout: &Worktree) -> String {
    let text = std::fs::read(checkout.admin_dir().join("HEAD")).unwrap_or_default();
    String::from_utf8_lossy(text.trim_ascii()).into_owned()
}

pub(super) fn remember_all(
    worktree: &Worktree,
    folder: &Path,
) -> Result<Vec<CheckoutBefore>, GitError> {
    let others = others(worktree)?.into_iter().enumerate();
    others
        .map(|(number, checkout)| {
            let place = place_of(&checkout);
            let name = format!("{number}.index");
            let is_kept = keep_index(&checkout.index_path(), &folder.join(&name))?;
            Ok(CheckoutBefore {
                directory: directory_of(&checkout),
                head: head_of(&checkout),
                index: is_kept.then_some(name),
                untracked: match place.is_main {
                    true => Some(untracked(&checkout)?),
                    false => None,
                },
                place,
            })
        })
        .collect()
}

/// git never writes into an index but puts another in its place, so a second name keeps what is there.
fn keep_index(index: &Path, copy: &Path) -> Result<bool, GitError> {
    if !index.exists() {
        return Ok(false);
    }
    // A copy from before may be the index itself under a second name: writing into it would empty both.
    let removed = match std::fs::remove_file(copy) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    let kept = removed.and_then(|()| {
        std::fs::hard_link(index, copy).or_else(|_| std::fs::copy(index, copy).map(drop))
    });
    kept.map(|()| true)
        .map_err(|error| GitError::io(copy, error))
}

/// What is there besides the files that git tracks.
fn untracked(checkout: &Worktree) -> Result<BTreeSet<String>, GitError> {
    #[cfg(target_os = "linux")]
    if let Some(untracked) = looked::untracked(checkout) {
        return Ok(untracked);
    }
    asked::untracked(checkout)
}

/// Files whose entries in the index are not the same.
#[derive(Debug, Default)]
struct Staged {
    otherwise: Vec<PathBuf>,
    /// The same is staged, but git looks at them no more, or again.
    passed_over: Vec<PathBuf>,
}

impl Staged {
    fn changes(self, place: &CheckoutPlace) -> impl Iterator<Item = SurroundingChange> {
        let (index, passed_over) = (place.clone(), place.clone());
        let index = SurroundingChange::Index {
            checkout: index,
            paths: self.otherwise,
        };
        let passed_over = SurroundingChange::PassedOver {
            checkout: passed_over,
            paths: self.passed_over,
        };
        [index, passed_over].into_iter().filter(|change| {
            use SurroundingChange::{Index, PassedOver};
            matches!(change, Index { paths, .. } | PassedOver { paths, .. } if !paths.is_empty())
        })
    }
}

/// Elsewhere, `asked` sees that files differ from the commit.
fn staged_since(kept: Option<&Path>, index: &Path) -> Staged {
    #[cfg(target_os = "linux")]
    if let Some(kept) = kept {
        return looked::staged_since(kept, index);
    }
    let _unused = (kept, index);
    Staged::default()
}

/// Files that are not what git has of them, and changed since.
fn changed_since(
    checkout: &Worktree,
    since: Moment,
    untracked: Option<&BTreeSet<String>>,
) -> Result<Vec<(PathBuf, FileFate)>, GitError> {
    #[cfg(target_os = "linux")]
    if let Some(found) = looked::changed_since(checkout, since, untracked)? {
        return Ok(found);
    }
    asked::changed_since(checkout, since, untracked)
}

pub(super) fn differences(
    worktree: &Worktree,
    before: &Surroundings,
    folder: &Path,
    passed_over: &BTreeSet<PathBuf>,
) -> Result<Vec<SurroundingChange>, GitError> {
    let mut changes = Vec::new();
    for checkout in others(worktree)? {
        let place = place_of(&checkout);
        let known = before.checkouts.iter().find(|it| it.place == place);
        // One that was added meanwhile is told of as that.
        let Some(known) = known.filter(|_| !passed_over.contains(&place.path)) else {
            continue;
        };
        let directory = directory_of(&checkout);
        if known.directory.is_some() && known.directory != directory {
            // All files in it are gone with it.
            let is_replaced = directory.is_some();
            changes.push(SurroundingChange::Directory {
                checkout: place,
                is_replaced,
            });
            continue;
        }
        let (from, to) = (known.head.clone(), head_of(&checkout));
        if from != to {
            let checkout = place.clone();
            changes.push(SurroundingChange::Head { checkout, from, to });
        }
        let kept = known.index.as_ref().map(|name| folder.join(name));
        let staged = staged_since(kept.as_deref(), &checkout.index_path());
        changes.extend(staged.changes(&place));
        let found = changed_since(&checkout, before.at, known.untracked.as_ref())?;
        changes.extend(found.into_iter().map(|(path, fate)| {
            let checkout = place.clone();
            SurroundingChange::File {
                checkout,
                path,
                fate,
            }
        }));
    }
    Ok(changes)
}
