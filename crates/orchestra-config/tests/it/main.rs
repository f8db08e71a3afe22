//! Settings as a user meets them: real files in temporary directories, an environment of their own.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

mod child_environment;
mod directories;
mod editing;
mod equipment;
mod home;
mod layering;
mod mistakes;
mod published;
mod repository_scope;
