//! The builds of Amp that differ in ways an adapter notices.

use serde::Deserialize;

/// A build to imitate, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Build {
    /// January 2026.
    Jan,
    /// February 2026.
    Feb,
    /// May 2026.
    May,
    /// September 2026.
    New,
}

impl Build {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "jan" => Some(Self::Jan),
            "feb" => Some(Self::Feb),
            "may" => Some(Self::May),
            "new" => Some(Self::New),
            _ => None,
        }
    }

    /// Up to May the program left terminal escapes on standard error.
    pub(crate) fn leaves_escapes(self) -> bool {
        self < Self::New
    }

    /// Up to February a failing connection still produced a transcript.
    pub(crate) fn connects_late(self) -> bool {
        self <= Self::Feb
    }

    pub(crate) fn default_mode(self) -> &'static str {
        if self == Self::New { "medium" } else { "smart" }
    }

    pub(crate) fn modes(self) -> &'static [&'static str] {
        match self {
            Self::Jan => &["free", "rush", "smart", "large"],
            Self::Feb => &["deep", "free", "rush", "smart"],
            Self::May => &["deep", "large", "rush", "smart"],
            Self::New => &[
                "low", "medium", "high", "ultra", "deep", "free", "large", "rush", "smart",
            ],
        }
    }

    pub(crate) fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Jan | Self::Feb | Self::May => &[
                "Bash",
                "create_file",
                "edit_file",
                "finder",
                "glob",
                "Grep",
                "oracle",
                "Read",
                "Task",
                "todo_write",
                "undo_edit",
                "web_search",
            ],
            Self::New => &[
                "apply_patch",
                "finder",
                "oracle",
                "Read",
                "shell_command",
                "web_search",
            ],
        }
    }

    pub(crate) fn shell_tool(self) -> &'static str {
        if self == Self::New {
            "shell_command"
        } else {
            "Bash"
        }
    }
}

pub(crate) fn version_text(build: Build) -> &'static str {
    match build {
        Build::Jan => "0.0.1767830505-gd3a0c1 (released 2026-01-08T00:01:45.000Z, 10mo ago)\n",
        Build::Feb => "0.0.1770734955-g52b9e7 (released 2026-02-10T14:49:15.000Z, 9mo ago)\n",
        Build::May => "0.0.1777897475-g0c41aa (released 2026-05-04T12:24:35.000Z, 6mo ago)\n",
        Build::New => "0.0.1790142911-g7618fb (released 2026-09-23T05:55:11.000Z, 1mo ago)\n",
    }
}
