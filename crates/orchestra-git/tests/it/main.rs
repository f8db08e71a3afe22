//! Tests on real repositories with the real git. What they check is read with git itself or from disk.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod advance;
mod base;
mod board;
mod branch;
mod commit;
mod concurrency;
mod diff;
#[cfg(target_os = "linux")]
mod fill;
mod hazards;
#[cfg(target_os = "linux")]
mod history;
mod ignore_rules;
mod ignored;
mod kills;
mod landed;
mod log;
mod merge;
mod open;
mod patch;
mod push;
mod random_merges;
mod rebase;
#[cfg(unix)]
mod registration;
mod relink;
mod replay;
mod resolve;
mod snapshot;
mod squash;
mod status;
mod surroundings;
mod trash;
mod workspace;
mod worktree;
mod worktree_folder;
mod world;
