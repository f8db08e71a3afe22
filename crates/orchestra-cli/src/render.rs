//! How things look: tables, transcripts, times, and the same things on the wire.

pub(crate) mod board;
mod edit;
pub(crate) mod needs;
pub(crate) mod passage;
pub(crate) mod screen;
pub(crate) mod script_log;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod transcript;
