//! Writes the files of a new worktree in process: the result is what git would have written, byte for byte.
//!
//! The repository's configuration and its objects are hostile. Only the object directory is opened, by its path; settings are
//! those that git would get. Anything unusual (a filter, a line-ending rule, a submodule, a strange path, an object that cannot
//! be read, a file in the way) is declined: what was written is taken back, and git has its say.

mod files;
mod index;
mod listing;

use orchestra_core::CommitId;

use super::Worktree;
use crate::contained::contained;
use crate::conversion;
use crate::declined::Declined;
use crate::objects::Store;
use crate::repository::ObjectFormat;
use crate::worktree::repair::has_only_marker;

use files::Files;
use index::IndexLock;
use listing::Listing;

/// Fills a worktree that has no files yet, or leaves it as it was.
pub(super) fn fill(worktree: &Worktree, commit: &CommitId) -> Result<(), Declined> {
    require_untouched(worktree)?;
    let repository = worktree.repository();
    if repository.object_format() != ObjectFormat::Sha1 {
        return Err(Declined::Unsuited("object ids are not SHA-1"));
    }
    conversion::require_plain_settings(worktree)?;
    conversion::require_plain_attributes(repository)?;
    let store = Store::open(repository.common_dir())?;
    let listing = contained(|| Listing::of_commit(&store.objects(), commit));
    let listing = listing.ok_or(Declined::Panicked)??;
    let lock = IndexLock::take(&worktree.index_path())?;
    let files = contained(|| Files::write(worktree.path(), &listing, &store));
    let files = files.ok_or(Declined::Panicked)??;
    lock.publish(&listing, files.facts())
        .inspect_err(|_| files.take_back())
}

/// git's marker and nothing else is there, and no index.
fn require_untouched(worktree: &Worktree) -> Result<(), Declined> {
    let is_untouched = worktree.require_directory().is_ok()
        && has_only_marker(worktree.path()).is_ok_and(|only_marker| only_marker)
        && !worktree.index_path().exists();
    if is_untouched {
        Ok(())
    } else {
        Err(Declined::Unsuited("something is there already"))
    }
}
