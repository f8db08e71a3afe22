//! Toolboxes: what a tool tells of itself, and how it is told what to do.
//!
//! A tool is a program that is run with `TOOLBOX_ACTION=describe` or `TOOLBOX_ACTION=execute`, as Amp does it.

mod description;
mod input;

pub use description::{BadDescription, InputFormat, ToolDescription, read_description};
pub use input::{BadInput, require_known, tool_input};

/// The variable that tells a tool what to do.
pub const ACTION: &str = "TOOLBOX_ACTION";
/// Its value for telling of itself.
pub const DESCRIBE: &str = "describe";
/// Its value for doing its work.
pub const EXECUTE: &str = "execute";
/// The variable in which Amp looks for toolboxes.
pub const AMP_TOOLBOX: &str = "AMP_TOOLBOX";
