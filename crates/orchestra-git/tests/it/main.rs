//! Tests on real repositories with the real git. What they check is read with git itself or from disk.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

mod base;
mod board;
mod branch;
mod commit;
mod concurrency;
mod diff;
#[cfg(target_os = "linux")]
mod fill;
mod hazards;
mod kills;
mod log;
mod open;
#[cfg(unix)]
mod registration;
mod relink;
mod snapshot;
mod status;
mod worktree;
mod world;
