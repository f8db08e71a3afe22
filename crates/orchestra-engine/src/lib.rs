//! The use cases of Amp Orchestra: sessions, iterations, scripts, recovery. Every face calls these functions and follows
//! the store; none of them holds state of its own.
//!
//! The engine decides when and whether; how is left to the crates below it: git to `orchestra-git`, processes to
//! `orchestra-process`, rows to `orchestra-store`, what an agent means to `orchestra-agents`.

#![warn(missing_docs)]

mod agent;
mod agent_probe;
mod agent_trial;
mod artifacts;
mod backup;
mod board;
mod change;
mod checkout;
mod clock;
mod commit;
mod consent;
mod controls;
mod copy_files;
mod create;
mod data;
mod diff;
mod discard;
mod doctor;
mod engine;
mod environment;
mod error;
mod failpoint;
mod files;
#[cfg(test)]
mod fixture;
mod folder;
mod follow;
mod grant;
mod guard;
mod half_made;
mod init;
mod iterate;
mod kept_output;
mod landing;
mod lease;
mod locate;
mod lookup;
mod loss;
mod mcp;
mod metrics;
mod moved;
mod new_place;
mod notifications;
mod notify;
mod open;
mod operations;
mod output;
mod permissions;
mod places;
mod presence;
mod prices;
mod project_commands;
mod prompt_file;
mod recover;
mod release;
mod repositories;
mod requests;
mod review;
mod runner;
mod runtime;
mod sandbox;
mod script;
mod servers;
mod setup;
mod slash;
mod slots;
mod spoken;
mod templates;
mod text_folder;
mod toolbox;
mod view;
mod windows;
mod work;
mod worktrees;

pub mod chain;

pub use agent::{AgentDetails, AgentReport};
pub use agent_trial::AgentTrial;
pub use artifacts::Collected;
pub use checkout::WayBack;
pub use clock::Clock;
pub use commit::CommitDone;
pub use consent::Consent;
pub use copy_files::CopyLine;
pub use create::{CreateSession, Created};
pub use data::{
    Amount, DataError, ExportFolder, KeptData, Place, Removed, RemovedRow, SessionBundle,
};
pub use diff::{DiffFileName, DiffPoint, DiffWhat};
pub use discard::Discarded;
pub use doctor::{Diagnosis, Examination, Health, examine};
pub use engine::{
    Engine, GC_MODE, GUARDIAN_MODE, OpenOptions, RUN_ITERATION, RUN_SCRIPT, RUNNER_MODE,
    TAKE_OVER_SERVER,
};
pub use environment::{DatabaseEnd, EnvironmentError, LeaseListing, SessionEnvironment};
pub use error::{EngineError, ErrorClass};
pub use files::{
    DirectoryPage, DirectoryRequest, FileEntry, FileError, LARGEST_FILE, SaveFile, WorktreeFile,
};
pub use grant::{Act, Allowance, Grant, GrantError, GrantReach};
pub use guard::GuardReport;
pub use init::{InitProposal, Lockfile, Proposed, ProposedEnvironment, TestCommand};
pub use iterate::{StartIteration, ThreadChoice};
pub use kept_output::{OutputPiece, OutputPlace, OutputStream};
pub use landing::{
    Afterwards, BranchChoice, BranchEnd, CheckReport, Cleaned, Cleanup, CleanupError, CleanupPlan,
    ConflictSides, Conflicts, DatabaseChoice, DiskError, DiskSum, Emptied, Exported, Gc, GcReport,
    HistoryError, InConflict, LandRequest, LandRow, LandState, LandStep, Matrix, MatrixCell,
    MergeDone, MergeError, MergeMode, MergeOrder, MergeRequest, Merged, Obstacle, OnStep, Passage,
    PullRequestText, PushDone, PushSession, PushState, RebaseAction, RebaseDone, Regenerable,
    RegenerableListing, RemoteCommits, ResolveDone, ResolveHow, RestoredSession, SquashDone,
    SquashOrder, Teardown, TrashRow, size_in_words, start_gc_if_due,
};
pub use locate::main_checkout_of;
pub use loss::{Forgotten, Loss};
pub use mcp::{McpCheck, McpError, McpReport, McpTool, serve_gate, serve_toolbox};
pub use moved::MovedRepository;
pub use notifications::Notification;
pub use notify::Notice;
pub use operations::Undone;
pub use permissions::{
    AfterDecision, Decide, HookAnswer, HookCall, PERMISSION_AT, PERMISSION_MODE, Reach, ask_hook_at,
};
pub use places::open_append_only;
pub use presence::AppPresence;
pub use project_commands::{
    AFTER_MERGE, CommandError, PULL_REQUEST, Permission, ProjectCommand, SETUP, TEARDOWN,
};
pub use recover::Recovery;
pub use repositories::RepositoryLook;
pub use requests::{BegunRequest, KeptAnswer};
pub use review::{Resumed, SessionLog};
pub use runner::BudgetUse;
pub use runtime::{
    EnvironmentReport, RuntimeError, ShownCommand, ShownSandbox, ShownServer, ShownVariable,
};
pub use sandbox::{MachineSandbox, TriedLayers};
pub use script::ScriptOutput;
pub use servers::StartedServer;
pub use setup::{SetupError, SetupNeed};
pub use slash::{SlashError, SlashListing, SlashMeaning, SlashOrigin, StoredSlash};
pub use templates::{
    EditedTemplate, SameName, StoredTemplate, TemplateError, TemplateListing, TemplateOrigin,
};
pub use toolbox::{
    RefusedFile, ShadowedFile, ToolError, ToolOutput, ToolRunner, ToolboxLook, ToolboxTool,
};
pub use view::{ListRequest, Listing, SessionView};
pub use windows::Window;
pub use work::Work;
pub use worktrees::{AdoptWorktree, WorktreeRow};

pub use orchestra_agents::Login;
pub use orchestra_git::{
    AddedClashes, Base, BaseSource, ChangeKind, CommitInfo, ConflictedFile, Content, DiffFormat,
    DiskUse, Fetched, FileChange, FilePatch, Patch, Relation, RestoredBranch, Stage, Status,
    TrashEntry, TrashState, WorktreeEntry,
};
pub use orchestra_process::{
    Exit, SANDBOX_MODE, become_session_leader, guardian_main, sandbox_main,
};
pub use orchestra_store::{
    Control, CountedRepository, MetricsBy, MetricsFilter, MetricsRow, SessionField, TranscriptHit,
    TranscriptHits, TranscriptSearch,
};
