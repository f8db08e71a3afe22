//! What people look at in a session, a part at a time: changes, files, transcript, output, scripts and servers.

use std::path::PathBuf;

use orchestra_core::{SessionId, Timestamp, TranscriptItem};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{FileChange, FileDiff, OutputLine, ProjectCommand, ScriptRun, Session};

/// A part of the files that changed in a session.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DiffPage {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session: Session,
    /// How many files changed altogether.
    pub total: usize,
    /// Lines added in all of them.
    pub insertions: u64,
    /// Lines removed in all of them.
    pub deletions: u64,
    /// The files of this part, in git's order.
    pub files: Vec<FileChange>,
    /// Where the next part begins; `null` if this is the last.
    pub next: Option<usize>,
}

/// What changed in one file.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FileDiffAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session_id: SessionId,
    /// The file with its patch.
    pub file: FileDiff,
}

/// A window that was opened.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WindowAnswer {
    /// The session.
    pub session_id: SessionId,
    /// The program that was started.
    #[schema(value_type = String)]
    pub program: PathBuf,
    /// What the user should know, such as ports that moved.
    pub notes: Vec<String>,
}

/// A part of a directory of a worktree.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DirectoryAnswer {
    /// The session.
    pub session_id: SessionId,
    /// The directory, from the top of the worktree; empty: the top itself.
    pub path: String,
    /// How much is in it altogether, without what is git's own.
    pub total: usize,
    /// What is in this part, by name.
    pub entries: Vec<DirectoryEntry>,
    /// The name that the next part comes after; `null` if this is the last.
    pub next: Option<String>,
}

/// Something in a directory of a worktree.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DirectoryEntry {
    /// Its name; bytes that are no text are replaced.
    pub name: String,
    /// `file`, `directory`, `link` or `special`.
    pub kind: &'static str,
    /// How long a file is.
    pub bytes: Option<u64>,
    /// Where a link leads. Links are shown and never followed.
    pub target: Option<String>,
}

/// A file of a worktree.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FileAnswer {
    /// The session.
    pub session_id: SessionId,
    /// Where it is, from the top of the worktree.
    pub path: String,
    /// How long it is.
    pub bytes: u64,
    /// Whether its owner may run it.
    pub is_executable: bool,
    /// Tells this content from any other: whoever saves the file gives it back. `null` if the file is too large.
    pub version: Option<String>,
    /// What is in it; `null` if it is no UTF-8, or too large.
    pub text: Option<String>,
    /// The same bytes as base64, if they are no UTF-8.
    pub base64: Option<String>,
    /// Whether it has more than 1 MiB, which is not shown.
    pub is_too_large: bool,
}

/// A part of a transcript.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TranscriptPage {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session_id: SessionId,
    /// The position before the first item that may be asked for: 0, or where the iteration begins.
    pub begin: u64,
    /// The position of the last item that may be asked for.
    pub end: u64,
    /// The items of this part, in order. Fewer than asked for if they are large.
    pub items: Vec<TranscriptItem>,
}

/// What was found in a transcript.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TranscriptHits {
    /// The session.
    pub session_id: SessionId,
    /// The hits, in order.
    pub hits: Vec<TranscriptHit>,
    /// The position after which the search goes on; `null` if everything was searched. A long transcript is searched in parts,
    /// and one without a hit is no end.
    pub next: Option<u64>,
}

/// An item of a transcript that has the text that is searched for.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TranscriptHit {
    /// Its position.
    pub position: u64,
    /// Its iteration.
    pub iteration: u32,
    /// When it was said or done.
    pub at: Timestamp,
    /// What stands around the text.
    pub snippet: String,
    /// Where in the snippet the text begins, in characters.
    pub begin: usize,
    /// How many characters of the snippet are the text.
    pub length: usize,
}

/// A part of what the agent of an iteration wrote.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OutputPage {
    /// The session.
    pub session_id: SessionId,
    /// Its lines, first those of `stdout`, then those of `stderr`.
    pub lines: Vec<OutputLine>,
    /// Where the next part begins. As long as the agent runs, there may be one later even if this one is empty.
    pub next: String,
}

/// Script runs of a session.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ScriptRunList {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session_id: SessionId,
    /// How many there are altogether.
    pub total: usize,
    /// The runs of this part, newest first.
    pub script_runs: Vec<ScriptRun>,
    /// The id that the next part comes before; `null` if this is the last.
    pub next: Option<i64>,
}

/// A part of what a script or a server printed, redacted.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ScriptOutput {
    /// The run as it is now.
    pub script_run: ScriptRun,
    /// The byte this part begins with.
    pub offset: u64,
    /// The byte the next part begins with.
    pub next: u64,
    /// How many bytes there are by now.
    pub total: u64,
    /// Whether the run is over and this is the end of what it printed.
    pub is_end: bool,
    /// The text; `null` if it is no UTF-8.
    pub text: Option<String>,
    /// The same bytes as base64, if they are no UTF-8.
    pub base64: Option<String>,
}

/// Servers of a session.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ServerList {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session_id: SessionId,
    /// Those that the settings name and those that ran, by name.
    pub servers: Vec<ServerRow>,
}

/// A server of a session.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ServerRow {
    /// Its name.
    pub name: String,
    /// Its last run, with state and address; `null` if it never ran.
    pub script_run: Option<ScriptRun>,
}

/// The set-up of a session.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SetupAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub session_id: SessionId,
    /// How it stands, as `setup` of the session says.
    pub state: &'static str,
    /// Its last run, whose output is that of a script run; `null` if it never ran.
    pub script_run: Option<ScriptRun>,
    /// The commands it runs, and whether they are allowed.
    pub commands: Vec<ProjectCommand>,
}
