//! Slash commands: what a text such as `/diff --stat` or `/review src/login.rs` asks for.

mod built_in;
mod call;
mod custom;
mod error;
mod name;

pub use built_in::BuiltIn;
pub use call::{Spoken, Word, read_spoken, split_words};
pub use custom::{CustomCommand, Need, Parameter};
pub use error::CallError;
pub use name::{InvalidSlashName, SlashName};
