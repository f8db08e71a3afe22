//! What tests stand on: throw-away homes and repositories, hermetic git, planted hazards and secrets, the
//! scripted agent `fake-amp`, the web application `small-web`, the MCP server `small-mcp`, fakes of model providers
//! and of a desktop.
//!
//! Nothing here imitates git or a database: tests use the real ones inside a [`Sandbox`].

mod binaries;
pub mod fake_amp;
#[cfg(target_os = "linux")]
pub mod fake_desktop;
pub mod hazards;
mod packages;
mod polling;
pub mod processes;
mod program_file;
pub mod provider;
mod repository;
mod sandbox;
pub mod secrets;
pub mod small_mcp;
pub mod small_web;

pub use binaries::bin;
pub use packages::{Packages, make_packages};
pub use polling::wait_until;
pub use program_file::write_program;
pub use repository::TestRepository;
pub use sandbox::{API_KEY, COUNTERS, Sandbox};
