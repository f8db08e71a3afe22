//! The steps a scenario is made of.

use std::path::PathBuf;

use serde::Deserialize;

use crate::secrets::SecretKind;

/// One thing the agent does. In a file: `do = "<name in snake case>"` and the fields below.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Says something. Joined with a tool call that follows at once, as Amp does.
    Message {
        /// The words.
        text: String,
    },
    /// Thinks aloud; shown only with `--stream-json-thinking`.
    Thinking {
        /// The words.
        text: String,
    },
    /// Calls a tool and prints its result, without doing anything.
    ToolCall {
        /// The tool's name.
        name: String,
        /// The tool's arguments.
        #[serde(default)]
        input: serde_json::Value,
        /// What the tool returned.
        #[serde(default)]
        result: String,
        /// Whether the tool failed.
        #[serde(default)]
        is_error: bool,
    },
    /// Asks whether it may use a tool, where the protocol has a way to ask, and says it was not allowed if so.
    Permission {
        /// The tool's name.
        tool: String,
        /// What the tool does: `execute`, `edit`, `fetch` and so on.
        #[serde(default = "execute")]
        kind: String,
        /// The tool's arguments.
        #[serde(default)]
        input: serde_json::Value,
    },
    /// Sets the tokens that the following messages report.
    Usage {
        /// Prompt tokens that were not cached.
        #[serde(default)]
        input_tokens: u64,
        /// Tokens written.
        #[serde(default)]
        output_tokens: u64,
        /// Prompt tokens stored in the cache.
        #[serde(default)]
        cache_creation_input_tokens: u64,
        /// Prompt tokens read from the cache.
        #[serde(default)]
        cache_read_input_tokens: u64,
    },
    /// Replaces text in a file; fails the turn when the text is not there.
    Edit {
        /// The file.
        path: PathBuf,
        /// The text to replace, once.
        old: String,
        /// The text to put there.
        new: String,
    },
    /// Creates or overwrites a file, with its folders.
    #[serde(alias = "create")]
    Write {
        /// The file.
        path: PathBuf,
        /// Its content.
        #[serde(default)]
        text: String,
    },
    /// Adds text at the end of a file.
    Append {
        /// The file.
        path: PathBuf,
        /// The text.
        text: String,
    },
    /// Deletes a file, or a folder with all it holds.
    Delete {
        /// What to delete.
        path: PathBuf,
    },
    /// Renames or moves a file.
    Rename {
        /// The present name.
        from: PathBuf,
        /// The new name.
        to: PathBuf,
    },
    /// Changes a file's permissions.
    Chmod {
        /// The file.
        path: PathBuf,
        /// The permissions, in octal as text: `"755"`.
        mode: String,
    },
    /// Makes a symbolic link.
    Symlink {
        /// The link.
        path: PathBuf,
        /// What it points to.
        target: PathBuf,
    },
    /// Makes a folder, with its parents.
    Mkdir {
        /// The folder.
        path: PathBuf,
    },
    /// Writes a file at an absolute path, for example in the main checkout.
    MainCheckout {
        /// The absolute path.
        path: PathBuf,
        /// The content.
        #[serde(default)]
        text: String,
    },
    /// Connects to a socket that has a path.
    Connect {
        /// The socket.
        path: PathBuf,
    },
    /// Runs git in the agent's directory; shown as a shell command. A failing git is a failed tool call.
    Git {
        /// The arguments.
        args: Vec<String>,
    },
    /// Asks the user something and ends the turn.
    Ask {
        /// The question.
        text: String,
    },
    /// Waits.
    Sleep {
        /// How long.
        milliseconds: u64,
    },
    /// Waits until a file exists; fails the turn when it does not come in time.
    WaitForFile {
        /// The file.
        path: PathBuf,
        /// How long to wait at most.
        #[serde(default = "five_minutes")]
        seconds: u64,
    },
    /// Creates an empty file without saying so, as a sign for whoever watches.
    TouchFile {
        /// The file.
        path: PathBuf,
    },
    /// Prints bytes as they are: `\n`, `\r`, `\t`, `\0`, `\\` and `\xNN` are understood.
    EmitRaw {
        /// The bytes, escaped. Nothing is added, no line end either.
        escaped: String,
    },
    /// Prints a line that stops in the middle of its JSON.
    BrokenLine,
    /// Prints one message of this size on one line.
    HugeLine {
        /// Its size in bytes.
        bytes: u64,
    },
    /// Prints messages as fast as possible.
    Flood {
        /// How much in all.
        bytes: u64,
        /// How long each line is.
        #[serde(default = "a_kibibyte")]
        line_length: usize,
    },
    /// Prints to standard error.
    Stderr {
        /// The text; a line end is added.
        text: String,
    },
    /// Starts a process that outlives the turn.
    Spawn {
        /// How it tries to escape.
        shape: SpawnShape,
        /// After how many seconds it ends by itself.
        #[serde(default = "a_minute")]
        seconds: u64,
        /// Where each process it starts adds its id, one a line.
        pid_file: PathBuf,
    },
    /// Prints a secret: a generated one by `kind` and `seed`, or `text` as it is.
    PrintSecret {
        /// What kind to make.
        kind: Option<SecretKind>,
        /// Makes the generated secret unique.
        #[serde(default)]
        seed: u64,
        /// The secret itself, instead of a kind.
        text: Option<String>,
        /// Where it goes.
        #[serde(default)]
        to: SecretSink,
        /// Prints it once per offset, each time in two writes that border there.
        #[serde(default)]
        split: bool,
    },
    /// Writes the agent's environment to a file, as one JSON object.
    PrintEnv {
        /// The file.
        path: PathBuf,
    },
    /// Ends the turn with an error result.
    Error {
        /// The text.
        text: String,
        /// The result's subtype.
        #[serde(default = "error_during_execution")]
        subtype: String,
    },
    /// Ends at once without a result.
    ExitWithoutResult {
        /// The exit code.
        #[serde(default)]
        code: u8,
    },
    /// Ends the turn well, then exits with this code.
    Exit {
        /// The exit code.
        code: u8,
    },
    /// Kills itself.
    DieBySignal {
        /// The signal's number.
        signal: i32,
    },
    /// Says nothing more until it is stopped.
    Hang,
    /// Prints the result, then does not exit until it is stopped.
    HangAfterResult,
    /// Prints a message cut off by the token limit, then hangs as Amp does.
    MaxTokens,
    /// From here on does not stop on interrupt or termination.
    #[serde(alias = "ignore_sigterm")]
    IgnoreSignals,
    /// Closes standard output; later steps print to nowhere.
    CloseStdout,
}

/// Ways in which a process may try to outlive its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpawnShape {
    /// A plain child.
    Background,
    /// A child in a session of its own.
    Setsid,
    /// A grandchild whose parent has gone.
    DoubleFork,
    /// A daemon: two forks, two sessions, another directory.
    Daemon,
    /// A child that ignores the hang-up.
    Nohup,
    /// A child that ignores every signal it can.
    IgnoreSignals,
    /// A child with no standard streams of the agent.
    ClosedStdio,
    /// An orphan that keeps the agent's standard output open.
    HoldsStdout,
    /// A chain of processes, each starting the next and leaving.
    ForkLoop,
    /// A child that starts its own child again whenever that dies.
    Respawn,
    /// A child that has stopped itself.
    Stopped,
    /// An orphan with an empty environment.
    CleanEnv,
    /// A child that collects its own orphans (Linux; elsewhere like `double_fork`).
    Subreaper,
}

impl SpawnShape {
    /// Every shape.
    pub const ALL: [Self; 13] = [
        Self::Background,
        Self::Setsid,
        Self::DoubleFork,
        Self::Daemon,
        Self::Nohup,
        Self::IgnoreSignals,
        Self::ClosedStdio,
        Self::HoldsStdout,
        Self::ForkLoop,
        Self::Respawn,
        Self::Stopped,
        Self::CleanEnv,
        Self::Subreaper,
    ];

    /// The name used in scenario files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Background => "background",
            Self::Setsid => "setsid",
            Self::DoubleFork => "double_fork",
            Self::Daemon => "daemon",
            Self::Nohup => "nohup",
            Self::IgnoreSignals => "ignore_signals",
            Self::ClosedStdio => "closed_stdio",
            Self::HoldsStdout => "holds_stdout",
            Self::ForkLoop => "fork_loop",
            Self::Respawn => "respawn",
            Self::Stopped => "stopped",
            Self::CleanEnv => "clean_env",
            Self::Subreaper => "subreaper",
        }
    }
}

/// Where a secret is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretSink {
    /// In a message of the transcript.
    #[default]
    Message,
    /// In the result of a tool call.
    ToolResult,
    /// On a line of standard output that is not JSON.
    Stdout,
    /// On standard error.
    Stderr,
}

fn execute() -> String {
    "execute".to_owned()
}

fn a_minute() -> u64 {
    60
}

fn five_minutes() -> u64 {
    300
}

fn a_kibibyte() -> usize {
    1024
}

fn error_during_execution() -> String {
    "error_during_execution".to_owned()
}
