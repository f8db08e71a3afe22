//! The store against real SQLite files. What is in a file is asked of SQLite itself, through a connection of the test's
//! own, never through the store under test.

mod child;
mod concurrency;
mod controls;
mod crash;
mod damage;
mod events;
mod fixture;
mod intents;
mod iterations;
mod notifications;
mod open;
mod refusals;
mod repositories;
mod round_trip;
mod scripts;
mod sessions;
mod transactions;
mod transcript;
