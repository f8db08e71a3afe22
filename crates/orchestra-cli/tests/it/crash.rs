//! Killed at every named place and at random times: no commit, file or row is lost, and the same repository goes on.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

// Release builds have no failpoints.
#[cfg(debug_assertions)]
mod failpoints;
mod landing;
mod observed;
mod outlived;
mod random;
