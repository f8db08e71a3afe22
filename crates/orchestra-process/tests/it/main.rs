//! Real processes, started, stopped and counted.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod capture;
mod detach;
mod dialogue;
mod kept;
mod limits;
mod sandbox;
mod shapes;
mod supervise;
mod support;
mod sweep;
