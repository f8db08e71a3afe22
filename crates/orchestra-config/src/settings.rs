//! The settings in force, as plain values. They are resolved once, before work starts.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use orchestra_core::{
    AgentProtocol, BranchGlob, BranchName, BranchPattern, CheckName, FileGlob, Isolation,
    PermissionPolicy, PermissionRule, SecretSource,
};

use crate::choices::{ColorChoice, HumanChanges, OverQuota, Theme};
use crate::error::ConfigError;

mod apart;
mod environments;
mod equipment;
mod reader;
mod secrets;
pub(crate) mod told;
mod worktree;

pub use environments::{EnvironmentSettings, Environments, LimitSettings};
pub use equipment::{EquipmentSettings, McpReach, McpSettings, Told};
pub(crate) use reader::Reader;
pub use worktree::{DatabaseSettings, ServerSettings, WorktreeSettings};

/// Every setting in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Places and limits.
    pub core: Core,
    /// Branches, commits, worktrees.
    pub git: Git,
    /// What must hold before work lands.
    pub landing: LandingRules,
    /// Command lines that run at certain moments.
    pub commands: Commands,
    /// What a worktree gets beside the files of its commit.
    pub worktree: WorktreeSettings,
    /// How many ports a session gets, by name.
    pub ports: BTreeMap<String, u32>,
    /// The databases of a session, by name.
    pub databases: BTreeMap<String, DatabaseSettings>,
    /// The scripts that are servers, by name.
    pub servers: BTreeMap<String, ServerSettings>,
    /// Files of a worktree that are collected.
    pub artifacts: Vec<FileGlob>,
    /// Programs that edit code.
    pub agents: Agents,
    /// Where agents find their servers, by name.
    pub environments: Environments,
    /// What agents work with besides their own tools.
    pub equipment: EquipmentSettings,
    /// Directories of toolboxes, by name.
    pub toolboxes: BTreeMap<String, Vec<PathBuf>>,
    /// MCP servers, by name.
    pub mcp: BTreeMap<String, McpSettings>,
    /// What an agent may use.
    pub limits: LimitSettings,
    /// Command lines by name.
    pub scripts: BTreeMap<String, String>,
    /// How the product looks.
    pub ui: Ui,
    /// How long what is kept of runs stays.
    pub data: DataSettings,
    /// Scored checks.
    pub evaluation: Evaluation,
    /// What children see and what is redacted.
    pub security: Security,
    /// Where secrets are, of all settings that name such a place.
    pub secret_places: Vec<SecretSource>,
}

/// Places and limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Core {
    /// File of the database.
    pub database_path: PathBuf,
    /// Folder of the worktrees; see [`Core::worktrees_root_of`].
    pub worktrees_root: PathBuf,
    /// Folder where toolboxes are put together.
    pub runtime_toolboxes_root: PathBuf,
    /// Agents that run at once.
    pub max_concurrent_sessions: u32,
    /// Longest time for one iteration.
    pub session_timeout: Option<Duration>,
    /// Longest silence of an agent.
    pub idle_timeout: Option<Duration>,
    /// Most output kept, in bytes.
    pub max_output: u64,
    /// Time between asking an agent to stop and killing it.
    pub stop_grace: Duration,
    /// Most disk space for worktrees, in bytes.
    pub disk_quota: Option<u64>,
    /// What happens to a new session when that is used up.
    pub over_quota: OverQuota,
}

/// Branches, commits, worktrees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Git {
    /// Branch that sessions start from.
    pub default_base_branch: BranchName,
    /// Start of the subject of an agent's commits.
    pub commit_prefix: String,
    /// Name of a session's branch.
    pub branch_pattern: BranchPattern,
    /// Name of a session's folder.
    pub folder_pattern: BranchPattern,
    /// What happens to changes a person left.
    pub human_changes: HumanChanges,
    /// Branches that no merge moves.
    pub protected_branches: Vec<BranchGlob>,
    /// Longest wait for a fetch.
    pub fetch_wait: Duration,
    /// Whether landed, clean worktrees go to the trash.
    pub auto_cleanup_worktrees: bool,
    /// Time between two runs of `gc` in the background.
    pub worktree_gc_interval: Option<Duration>,
    /// How long worktrees in the trash can be restored.
    pub trash_retention: Duration,
    /// How long operations can be undone.
    pub undo_retention: Duration,
}

/// What must hold before work lands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandingRules {
    /// Checks that must pass.
    pub required_checks: Vec<CheckName>,
}

/// Command lines that run at certain moments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commands {
    /// To make a new worktree ready.
    pub setup: Option<String>,
    /// Before a worktree is cleaned up.
    pub teardown: Option<String>,
    /// After a merge, in the main checkout.
    pub after_merge: Option<String>,
    /// To open a pull request.
    pub pr: Option<String>,
    /// Longest time for one of them.
    pub timeout: Option<Duration>,
}

/// Programs that edit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agents {
    /// Agent of a new session.
    pub default: String,
    /// Prices of models that count before those that are known.
    pub price_file: Option<PathBuf>,
    /// How often a turn is tried again while the provider is overloaded.
    pub retries: u32,
    /// Time before the first of these tries.
    pub retry_after: Duration,
    /// What happens when an agent wants to use a tool.
    pub permissions: PermissionPolicy,
    /// What agents may do without being asked, and what never.
    pub rules: Vec<PermissionRule>,
    /// What is set, by the agent's name.
    pub named: BTreeMap<String, Agent>,
}

/// What is set for one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agent {
    /// How it is talked with, if it is an agent of the user's own.
    pub protocol: Option<AgentProtocol>,
    /// Program and arguments, if not the agent's usual ones.
    pub command: Option<Vec<String>>,
    /// Model, if not the agent's usual one.
    pub model: Option<String>,
    /// Environment variables passed on to it.
    pub env: Vec<String>,
    /// Toolboxes of its sessions, by name.
    pub toolboxes: Vec<String>,
    /// MCP servers of its sessions, by name.
    pub mcp: Vec<String>,
}

/// How the product looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ui {
    /// Colour in the terminal.
    pub color: ColorChoice,
    /// Program and arguments of the editor.
    pub editor: Option<Vec<String>>,
    /// Program of the terminal, and the words before the command it runs.
    pub terminal: Option<Vec<String>>,
    /// Desktop notifications.
    pub notifications: bool,
    /// Look of graphical faces.
    pub theme: Theme,
}

/// Scored checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// Evaluators that run at once.
    pub concurrency: u32,
    /// Longest time for one evaluator.
    pub timeout: Option<Duration>,
}

/// How long what is kept of runs stays, once their sessions are over; `None`: forever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSettings {
    /// Transcripts and raw output.
    pub keep_transcripts: Option<Duration>,
    /// Logs of agents, scripts and runners.
    pub keep_logs: Option<Duration>,
}

/// What children see and what is redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Security {
    /// What is done about an agent that leaves its worktree.
    pub isolation: Isolation,
    /// What an agent in a sandbox may write as well.
    pub sandbox_writable: Vec<PathBuf>,
    /// What it may not read as well.
    pub sandbox_hidden: Vec<PathBuf>,
    /// The hosts it can reach, `off` or `open`; empty: those that the agent needs.
    pub sandbox_network: Vec<String>,
    /// Environment variables passed on to every agent and script.
    pub pass_env: Vec<String>,
    /// Environment variables whose values are secrets.
    pub redact_variables: Vec<String>,
    /// Regular expressions for further secrets.
    pub redact_patterns: Vec<String>,
}

impl Settings {
    pub(crate) fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            core: Core::read(reader)?,
            git: Git::read(reader)?,
            landing: LandingRules::read(reader)?,
            commands: Commands::read(reader)?,
            worktree: WorktreeSettings::read(reader)?,
            ports: reader.chosen("ports")?,
            databases: DatabaseSettings::read_all(reader)?,
            servers: ServerSettings::read_all(reader)?,
            artifacts: reader.require("artifacts.paths")?,
            agents: Agents::read(reader)?,
            environments: Environments::read(reader)?,
            equipment: EquipmentSettings::read(reader)?,
            toolboxes: reader.chosen("toolboxes")?,
            mcp: McpSettings::read_all(reader)?,
            limits: LimitSettings::read(reader)?,
            scripts: reader.chosen("scripts")?,
            ui: Ui::read(reader)?,
            data: DataSettings::read(reader)?,
            evaluation: Evaluation::read(reader)?,
            security: Security::read(reader)?,
            secret_places: secrets::places(reader),
        })
    }
}

impl Core {
    /// The folder of the worktrees of a repository, without `.` and `..` in it.
    #[must_use]
    pub fn worktrees_root_of(&self, repository: &Path) -> PathBuf {
        let mut plain = PathBuf::new();
        for part in repository.join(&self.worktrees_root).components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => {
                    plain.pop();
                }
                part => plain.push(part),
            }
        }
        plain
    }

    fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            database_path: reader.require("core.database_path")?,
            worktrees_root: reader.require("core.worktrees_root")?,
            runtime_toolboxes_root: reader.require("core.runtime_toolboxes_root")?,
            max_concurrent_sessions: reader.require("core.max_concurrent_sessions")?,
            session_timeout: reader.timeout("core.session_timeout")?,
            idle_timeout: reader.timeout("core.idle_timeout")?,
            max_output: reader.require("core.max_output")?,
            stop_grace: reader.require("core.stop_grace")?,
            disk_quota: reader.find("core.disk_quota")?,
            over_quota: reader.require("core.over_quota")?,
        })
    }
}

impl Git {
    fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            default_base_branch: reader.require("git.default_base_branch")?,
            commit_prefix: reader.require("git.commit_prefix")?,
            branch_pattern: reader.require("git.branch_pattern")?,
            folder_pattern: reader.require("git.folder_pattern")?,
            human_changes: reader.require("git.human_changes")?,
            protected_branches: reader.require("git.protected_branches")?,
            fetch_wait: reader.require("git.fetch_wait")?,
            auto_cleanup_worktrees: reader.require("git.auto_cleanup_worktrees")?,
            worktree_gc_interval: reader.timeout("git.worktree_gc_interval")?,
            trash_retention: reader.require("git.trash_retention")?,
            undo_retention: reader.require("git.undo_retention")?,
        })
    }
}

impl LandingRules {
    fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            required_checks: reader.require("landing.required_checks")?,
        })
    }
}

impl Commands {
    fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            setup: reader.find("commands.setup")?,
            teardown: reader.find("commands.teardown")?,
            after_merge: reader.find("commands.after_merge")?,
            pr: reader.find("commands.pr")?,
            timeout: reader.timeout("commands.timeout")?,
        })
    }
}

impl Agents {
    fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        let mut named = BTreeMap::new();
        for name in reader.chosen_names("agents") {
            let key = |field: &str| format!("agents.{name}.{field}");
            let agent = Agent {
                protocol: reader.find(&key("protocol"))?,
                command: reader.find(&key("command"))?,
                model: reader.find(&key("model"))?,
                env: reader.find(&key("env"))?.unwrap_or_default(),
                toolboxes: reader.find(&key("toolboxes"))?.unwrap_or_default(),
                mcp: reader.find(&key("mcp"))?.unwrap_or_default(),
            };
            named.insert(name.to_owned(), agent);
        }
        Ok(Self {
            default: reader.require("agents.default")?,
            price_file: reader.find("agents.price_file")?,
            retries: reader.require("agents.retries")?,
            retry_after: reader.require("agents.retry_after")?,
            permissions: reader.require("agents.permissions")?,
            rules: reader.require("agents.rules")?,
            named,
        })
    }
}

impl Ui {
    fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            color: reader.require("ui.color")?,
            editor: reader.find("ui.editor")?,
            terminal: reader.find("ui.terminal")?,
            notifications: reader.require("ui.notifications")?,
            theme: reader.require("ui.theme")?,
        })
    }
}

impl Evaluation {
    fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            concurrency: reader.require("evaluation.concurrency")?,
            timeout: reader.timeout("evaluation.timeout")?,
        })
    }
}

impl DataSettings {
    fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            keep_transcripts: reader.timeout("data.keep_transcripts")?,
            keep_logs: reader.timeout("data.keep_logs")?,
        })
    }
}

impl Security {
    fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            isolation: reader.require("security.isolation")?,
            sandbox_writable: reader.require("security.sandbox_writable")?,
            sandbox_hidden: reader.require("security.sandbox_hidden")?,
            sandbox_network: reader.require("security.sandbox_network")?,
            pass_env: reader.require("security.pass_env")?,
            redact_variables: reader.require("security.redact_variables")?,
            redact_patterns: reader.require("security.redact_patterns")?,
        })
    }
}
