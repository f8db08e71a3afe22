//! Rubbish of every kind: full and read-only disks, damaged files, odd paths and names, missing programs, bad input. One
//! clear error with a way out, and nothing half done.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod database;
mod disk;
mod input;
mod large;
mod paths;
mod surroundings;
