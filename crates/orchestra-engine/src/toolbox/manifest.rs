//! What was put together for a session, written down beside it: whoever serves the tools reads it there.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use orchestra_agents::toolbox::ToolDescription;
use serde::{Deserialize, Serialize};

use crate::mcp::write_private;

/// The directory of a session's tools, in its folder.
pub(crate) const TOOLS: &str = "tools";
const MANIFEST: &str = "tools.json";

/// What was put together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Longest time for one use of a tool.
    pub(crate) timeout_ms: u64,
    /// The directory that tools work in.
    pub(crate) directory: PathBuf,
    /// Every file, those of tools included.
    pub(crate) files: Vec<TakenFile>,
    /// What each tool tells of itself.
    pub(crate) tools: Vec<DescribedTool>,
    /// Files that give way to others.
    pub(crate) shadowed: Vec<ShadowedFile>,
    /// What was not taken.
    pub(crate) refused: Vec<RefusedFile>,
}

/// A file that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TakenFile {
    /// Below the directory of the tools.
    pub(crate) path: PathBuf,
    /// The toolbox it comes from.
    pub(crate) toolbox: PathBuf,
    /// Whether it is a tool: an executable file at the top.
    pub(crate) is_tool: bool,
    /// What tells it from any other.
    pub(crate) stamp: Stamp,
}

/// What tells a file from any other, and from itself after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) size: u64,
    pub(crate) modified_ns: i128,
}

/// A tool and what it tells of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct DescribedTool {
    pub(crate) file: PathBuf,
    pub(crate) toolbox: PathBuf,
    pub(crate) stamp: Stamp,
    pub(crate) described: ToolDescription,
}

/// A file that gives way to one of an earlier toolbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShadowedFile {
    /// The file.
    pub path: PathBuf,
    /// The toolbox whose file is taken.
    pub by: PathBuf,
}

/// A file or directory that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedFile {
    /// Which one.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

/// The manifest of the tools in a directory.
///
/// # Errors
/// If there is none that can be read.
pub(crate) fn manifest_of(tools: &Path) -> io::Result<Manifest> {
    let is_tools = tools.file_name() == Some(OsStr::new(TOOLS));
    let folder = tools.parent().filter(|_| is_tools);
    let folder = folder.ok_or(io::ErrorKind::InvalidInput)?;
    let text = fs::read(folder.join(MANIFEST))?;
    serde_json::from_slice(&text).map_err(io::Error::from)
}

impl Manifest {
    /// Writes it beside the tools, for this user alone.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_vec(self)?;
        let next = folder.join("tools.json.next");
        write_private(&next, &text)?;
        fs::rename(next, folder.join(MANIFEST))
    }
}
