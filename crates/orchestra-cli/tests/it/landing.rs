//! Landing: what is done to a session on its way back to the base, and taking it back.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod after_merge;
mod check;
mod cleanup;
mod conflicts;
mod disk;
#[cfg(unix)]
mod distinct_types;
mod export;
mod gc;
mod iterate;
mod land;
mod matrix;
mod merge;
mod merge_remote;
mod new_base;
mod other_base;
#[cfg(unix)]
mod pr;
mod push;
mod random_steps;
mod rebase;
mod refused;
mod resolve;
mod squash;
mod still_landed;
mod stopped;
mod there_already;
mod trash;
mod undo;
mod work;

pub(crate) use work::OVERRIDES;
