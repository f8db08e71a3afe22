//! The store against real SQLite files. What is in a file is asked of SQLite itself, through a connection of the test's
//! own, never through the store under test.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod activity;
mod child;
mod concurrency;
mod controls;
mod crash;
mod damage;
mod damaged_log;
mod environments;
mod events;
mod fixture;
mod housekeeping;
mod intents;
mod iterations;
mod lookup;
mod metrics;
mod notifications;
mod open;
mod pauses;
mod questions;
mod refusals;
mod repositories;
mod round_trip;
mod scripts;
mod sessions;
mod transactions;
mod transcript;
mod transcript_search;
