//! What the HTTP API is asked with: bodies of requests.

mod agent;
mod housekeeping;
mod installation;
mod merge;
mod rebase;
mod repository;
mod review;
mod session;

pub use agent::{CheckMcp, CheckToolbox, ImportTemplate, RunTool, SaveTemplate, TestAgent};
pub use housekeeping::{CleanUpSession, EmptyTrash, KeepHouse, RestoreWorktree};
pub use installation::{CheckSandbox, ExportData, PurgeData, Repair};
pub use merge::{Dependency, LandSessions, MergeForm, MergeSession, OpenPullRequest, PushBranch};
pub use rebase::{
    RebaseSession, RebaseStep, RegenerateLockfile, ResolveConflict, ResolveWith, SquashSession,
};
pub use repository::{AdoptWorktree, ChooseCommands, InRepository, SetSetting};
pub use review::{OpenWindow, SaveFile, StartScript, StartServer, StartSetup, WindowKind};
pub use session::{
    AnswerQuestion, CommitChanges, CreateSession, DecidePermission, SetField, StartIteration,
    StopWork,
};
