//! A socket at which a program in a sandbox asks something of whoever supervises it: one question and one answer a connection.

#[cfg(not(unix))]
mod nowhere;
#[cfg(unix)]
mod socket;

#[cfg(not(unix))]
pub use nowhere::{Door, ask_at};
#[cfg(unix)]
pub use socket::{Door, ask_at};
