//! Toolboxes: directories of programs that an agent can use as tools.
//!
//! Several are put together into one directory per session. A file gets there only after it was opened without following a
//! link and the opened file was looked at, so nobody can put something else in its place in between. Every tool is then
//! asked once what it is, under a guardian and within limits.

mod bounded;
mod gather;
mod look;
mod manifest;
mod rules;
mod session;
mod tool;

pub use look::{ToolboxLook, ToolboxTool};
pub use manifest::{RefusedFile, ShadowedFile};
pub use tool::{ToolError, ToolOutput, ToolRunner};

pub(crate) use manifest::{DescribedTool, TOOLS, manifest_of};
