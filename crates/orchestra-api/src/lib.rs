//! Wire types and error codes: what every `--json` prints and what the HTTP API answers. No behaviour.
//!
//! An answer about one session is `{ "seq", "session", ... }`: the session as it is now, and the number of the event log that is
//! true at; whatever else was asked for stands beside them. `session` is always a whole session, `session_id` only names one.
//!
//! Names are snake_case, timestamps are RFC 3339 text, and a value nobody knows is `null`, never a guess.

#![warn(missing_docs)]

mod agent;
mod artifact;
mod called;
mod command;
mod data;
mod doctor;
mod environment;
mod equipment;
mod error;
mod event;
mod history;
mod housekeeping;
mod job;
mod merge;
mod metrics;
mod notification;
mod operation;
mod permission;
mod rebase;
mod repository;
mod review;
mod runtime;
mod server;
mod session;
mod settings;
mod slash;
mod squash;
mod template;
mod worktree;

pub mod requests;

pub use agent::{Agent, AgentAbilities, AgentList, AgentTrial};
pub use artifact::{Artifact, ArtifactsAnswer, LeftOut};
pub use called::{Call, DiffExcerpt, TranscriptPart, Waited};
pub use command::{CommandChange, CommandList, ProjectCommand};
pub use data::{DataExported, DataPlace, DataReport, ExportManifest, PurgeReport, RemovedData};
pub use doctor::{Diagnosis, DoctorReport};
pub use environment::{Database, Lease, LeaseHolder, LeaseList, PortLease};
pub use equipment::{
    McpServer, McpServerList, McpTool, McpToolList, RefusedFile, ShadowedFile, Tool, ToolAnswer,
    Toolbox,
};
pub use error::{ErrorBody, ErrorReport};
pub use event::{EventList, FactsTold, StreamBegin};
pub use history::{
    Commit, FileChange, FileDiff, Iteration, OutputLine, ScriptRun, SessionDiff, SessionLog,
};
pub use housekeeping::{
    CleanupAnswer, CleanupPlan, DatabaseLeft, DiskUse, Emptied, GcReport, PushAnswer, PushState,
    RegenerableRow, RestoreAnswer, RestoredBranch, RestoredBranchState, TrashList, TrashRow,
};
pub use job::{Job, JobAnswer, JobList, JobState};
pub use merge::{
    Afterwards, Approval, ApprovalAnswer, CheckAnswer, CheckRow, ConflictMatrix, ConflictPair,
    LandAnswer, LandRow, LandState, LandedAnswer, Merge, MergeAnswer,
};
pub use metrics::{
    Metrics, MetricsBy, MetricsCost, MetricsPoint, MetricsSeries, MetricsSum, MetricsTokens,
    ServerMetrics,
};
pub use notification::{ClaimAnswer, Notification, NotificationList};
pub use operation::{Operation, OperationAnswer, OperationList};
pub use permission::Question;
pub use rebase::{
    CommitName, Conflict, ConflictList, ConflictSides, ConflictStage, Rebased, Resolved,
    SideContent,
};
pub use repository::{
    BaseBranch, InitProposal, ProposedAgent, ProposedCommand, ProposedValue, Repository,
    RepositoryDetail, RepositoryList,
};
pub use review::{
    DiffPage, DirectoryAnswer, DirectoryEntry, FileAnswer, FileDiffAnswer, OutputPage,
    ScriptOutput, ScriptRunList, ServerList, ServerRow, SetupAnswer, TranscriptHit, TranscriptHits,
    TranscriptPage, WindowAnswer,
};
pub use runtime::{
    AgentCommand, AgentSandbox, AgentServer, AgentVariable, Environment, EnvironmentList,
    GuardAnswer, MissingLayer, SandboxAnswer, SandboxTrial, ServerValue,
};
pub use server::{RunningServer, Server, ServerAnswer};
pub use session::{
    BudgetUse, Committed, Created, Discarded, Forgotten, IterationAnswer, IterationList, QueueList,
    QueueRow, ScriptAnswer, Session, SessionAnswer, SessionDetail, SessionList, SessionPage,
    WorkAnswer,
};
pub use settings::{Setting, SettingChanged, SettingsFiles, SettingsList};
pub use slash::{DamagedSlash, SlashAnswer, SlashCommand, SlashList, SlashParameter};
pub use squash::{Exported, PatchAnswer, Squashed};
pub use template::{
    DamagedTemplate, Template, TemplateAnswer, TemplateDeleted, TemplateList, TemplateText,
    TemplateVariable,
};
pub use worktree::{Pruned, Worktree, WorktreeList};
