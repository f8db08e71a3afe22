//! Sessions as records: made, refused, listed, changed, put away, adopted; what git, the disk and the store hold after.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod change;
mod checkout;
mod create;
mod faces;
mod folder;
mod list;
mod prompt;
mod refuse;
mod remote;
mod slash;
mod worktrees;
