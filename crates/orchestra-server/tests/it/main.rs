//! The HTTP API: the router in process, over real git, a real store and the scripted agent.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod artifacts;
mod cleanup;
mod diffs;
mod events;
mod files;
mod fuzz;
mod gate;
mod history;
mod iterations;
mod keys;
mod merge;
mod operations;
mod rebase;
mod scripts;
mod served;
mod servers;
mod sessions;
mod transcript;
mod worktrees;
mod world;
