//! The engine's use cases without a face: real git, a real store.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(target_os = "linux")]
mod artifacts;
#[cfg(target_os = "linux")]
mod copy_files;
mod create;
mod doctor;
mod init;
mod landing;
#[cfg(unix)]
mod open;
mod permissions;
mod servers;
mod start;
mod world;
