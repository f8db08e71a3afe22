//! Worktrees, branches, diffs and commits through the git program: one function per intent.
//!
//! A tree that an agent could write is hostile, and so is the configuration that all worktrees of a repository share.
//! Commands on references and on the list of worktrees run on the real repository, with everything that could start a program
//! overridden. Commands on files or commits run through a *shadow* (see `shadow`), where git never reads that configuration at
//! all; the files of a new worktree are written without git where that gives the same. Commands with a network never run in a
//! repository.
//!
//! Not here: what a session is, when to commit, what to show.

#![warn(missing_docs)]

mod advance;
mod base;
mod board;
#[cfg(target_os = "linux")]
mod branch_lock;
mod bundle;
mod byte_path;
mod call;
mod checkouts;
mod commit;
mod commit_object;
mod configuration;
#[cfg(target_os = "linux")]
mod contained;
mod content;
#[cfg(target_os = "linux")]
mod conversion;
#[cfg(target_os = "linux")]
mod declined;
mod diff;
#[cfg(target_os = "linux")]
mod direct_store;
mod disk;
mod disk_use;
mod environment;
mod error;
mod exclude;
mod files;
mod git_process;
mod head;
#[cfg(target_os = "linux")]
mod history;
mod ignore_rules;
mod ignored;
mod in_progress;
mod index_entry;
mod index_file;
mod index_lock;
#[cfg(target_os = "linux")]
mod index_state;
mod landed;
mod log;
mod merge;
mod near_branch;
mod network;
#[cfg(target_os = "linux")]
mod objects;
mod packs;
mod patch;
mod program;
mod push;
#[cfg(target_os = "linux")]
mod racy;
mod rebase;
mod ref_file;
mod reference;
mod remote_url;
mod repository;
mod repository_lock;
mod resolve;
mod rewrite;
mod shadow;
mod shown;
mod snapshot;
mod stale_lock;
mod state;
mod status;
mod surroundings;
mod switch;
mod trash;
#[cfg(target_os = "linux")]
mod tree_changes;
mod version;
mod workspace;
mod worktree;
mod worktree_folder;

pub use advance::{Advance, AdvanceEnd, AdvanceError, AdvanceStep, BranchPlace, Busy, Checkout};
pub use base::{Base, BaseSource, FetchFailure, FetchPolicy, Fetched, Relation};
pub use board::{BoardQuery, BoardRow};
pub use bundle::BundleTip;
pub use checkouts::{CheckedOut, Checkouts};
pub use commit::{CommitError, CommitRequest, Prepared, RememberedFiles};
pub use configuration::{Configuration, Identity, Signing};
pub use content::Content;
pub use diff::{DiffFile, DiffFormat, DiffRequest, DiffScope, FileChange, FilePatch, Patch};
pub use disk_use::{DiskUse, disk_use};
pub use environment::Environment;
pub use error::GitError;
pub use head::Head;
pub use ignored::Ignored;
pub use in_progress::InProgress;
pub use landed::LandedBy;
pub use log::CommitInfo;
pub use merge::{
    AddedClashes, ConflictedFile, MergeLabels, MergeMessage, MergeResult, OwnFiles, PutAside, Stage,
};
pub use patch::MailForm;
pub use program::Git;
pub use push::{PushError, PushForce, PushRequest, Pushed, RemoteTip};
pub use rebase::{
    RebaseError, RebaseOutcome, RebasePlan, RebaseProgress, RebaseStep, StoppedRebase,
};
pub use reference::{AheadBehind, Moved, RefMove};
pub use remote_url::InvalidUrl;
pub use repository::{ObjectFormat, OpenError, Repository};
pub use repository_lock::RepositoryLock;
pub use resolve::{Resolution, ResolveError, find_conflict};
pub use rewrite::{
    CommitStamp, RebaseStop, Replay, ReplayRequest, RewriteError, SquashRequest, Squashed,
};
pub use snapshot::{Snapshot, SnapshotError, SnapshotRequest, SnapshotScope};
pub use stale_lock::StaleLock;
pub use state::RepositoryState;
pub use status::{ChangeKind, Status, StatusChange};
pub use surroundings::{CheckoutPlace, FileFate, StashEntry, SurroundingChange, Surroundings};
pub use switch::SwitchError;
pub use trash::{
    BranchFate, RestoreRequest, Restored, RestoredBranch, TrashEntry, TrashError, TrashListing,
    TrashRecord, TrashRequest, TrashState, TrashStep, is_in_trash_of,
};
pub use version::GitVersion;
pub use workspace::{LeftElsewhere, Workspace, WorkspaceError, WorkspaceWork};
pub use worktree::{
    Damage, Fill, Finding, Former, HalfMade, Removal, StartingPoint, Worktree, WorktreeEntry,
    WorktreeError, registered_place, registered_worktrees,
};
pub use worktree_folder::UnsuitableFolder;
