//! The HTTP API: the router in process, over real git, a real store and the scripted agent.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod adoption;
mod agents;
mod artifacts;
mod cleanup;
mod commands;
mod data;
mod diffs;
mod doctor;
mod equipment;
mod events;
mod files;
mod fuzz;
mod gate;
mod history;
mod iterations;
mod keys;
mod leases;
mod merge;
mod metrics;
mod notifications;
mod operations;
mod rebase;
mod repositories;
mod scripts;
mod served;
mod servers;
mod sessions;
mod settings;
mod slash;
mod templates;
mod transcript;
mod worktrees;
mod world;
