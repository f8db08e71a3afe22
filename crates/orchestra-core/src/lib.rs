//! The domain of Amp Orchestra: ids, names, states, events, usage and redaction.
//!
//! Everything here is pure. There is no I/O, no clock, no randomness, no SQL and no terminal: times and random bytes are
//! passed in, so every rule in this crate can be tested with plain values.

#![warn(missing_docs)]
#![warn(clippy::wildcard_enum_match_arm)]

pub mod agent_event;
mod agent_protocol;
mod and_more;
mod artifact;
pub mod branch;
mod branch_glob;
mod caller;
pub mod case_clash;
pub mod check;
pub mod conflict;
pub mod data;
pub mod database;
mod dependency_order;
pub mod event;
mod file_glob;
pub mod ids;
pub mod iteration;
pub mod landing;
pub mod migration_order;
pub mod name;
pub mod object_id;
pub mod operation;
pub mod overload;
pub mod path_text;
mod permission;
mod permission_question;
mod placeholder;
pub mod port;
mod prices;
pub mod redact;
pub mod remote;
pub mod runtime;
pub mod server;
pub mod session;
pub mod setup;
pub mod slash;
mod snapshot_name;
pub mod status;
pub mod template;
mod text_schema;
mod told_edit;
mod trailer;
mod trash_name;
pub mod usage;
pub mod visible;

pub use agent_event::{AgentEvent, FailureCause, PlanStep, Role, StepState, TranscriptItem};
pub use agent_protocol::{AgentProtocol, UnknownProtocol};
pub use and_more::{and_more, first_of};
pub use artifact::{Artifact, artifact_name, artifact_owner};
pub use branch::{BranchName, BranchPattern};
pub use branch_glob::{BranchGlob, InvalidGlob};
pub use caller::{Caller, InvalidCaller};
pub use case_clash::{CaseClash, case_clashes};
pub use check::{CheckLine, CheckName, CheckState, PassedOver, mentions_issue, subject_problem};
pub use conflict::{ConflictClass, ConflictContent, ConflictKind, EntryMode, PackageManager};
pub use data::DataKind;
pub use database::{DatabaseKind, DatabaseState, SessionDatabase, database_name};
pub use dependency_order::dependency_order;
pub use event::{Event, EventBody};
pub use file_glob::{FileGlob, InvalidFileGlob};
pub use ids::{IterationNumber, SessionId};
pub use iteration::{
    Iteration, OffBranch, Progress, RunProblem, Runner, SESSION_SCRIPT, ScriptEnd, ScriptResult,
    ScriptRun,
};
pub use jiff::Timestamp;
pub use jiff::tz::TimeZone;
pub use landing::{
    Approval, Landed, Landing, MergedAs, Push, PushedAs, Rebase, RebaseState, name_of_base,
};
pub use migration_order::{MigrationClash, MigrationNumber, clashing_migrations};
pub use name::SessionName;
pub use object_id::{CommitId, ObjectId, PatchId, TreeId};
pub use operation::{
    Change, Operation, OperationId, OperationKind, OperationState, TrashedBranch, next_redo,
    next_undo,
};
pub use overload::{AgentPause, Backoff, Parked, Refusal};
pub use path_text::{PathText, path_as_text};
pub use permission::{
    Decision, InvalidRule, PermissionPolicy, PermissionRule, RuleAction, ToolKind, ToolUse,
    UnknownPolicy, Verdict, judge,
};
pub use permission_question::{Decided, PermissionQuestion, Withdrawn};
pub use placeholder::fill_placeholders;
pub use port::{InvalidPortRange, PortLease, PortRange};
pub use prices::PriceTable;
pub use remote::RemoteName;
pub use runtime::{
    Budget, EnvironmentKind, EscapeEnd, EscapeRecord, GuardFinding, GuardPlace, InvalidBudget,
    InvalidSecretSource, Isolation, IsolationRecord, RuntimeField, RuntimeWishes, SandboxRecord,
    SecretSource, UnknownIsolation, escape_counts,
};
pub use server::{ServerFacts, ServerState};
pub use session::{
    DiskFacts, GitFacts, LandedFact, NewSession, OtherCheckout, Repository, RepositoryId, Session,
};
pub use setup::{CLEAR_SCRIPT, DROP_SCRIPT, SETUP_SCRIPT, SetupState, TEARDOWN_SCRIPT, TakenBack};
pub use snapshot_name::{InvalidSnapshotName, SnapshotName};
pub use status::{SessionFacts, SessionStatus};
pub use template::{FillError, InvalidTemplateName, Template, TemplateName, TemplateVariable};
pub use told_edit::ToldEdit;
pub use trailer::{last_paragraph, with_issue, with_trailers};
pub use trash_name::{InvalidTrashName, TrashName};
pub use usage::{Cost, CostSource, Usage};
pub use visible::{visible, visible_line, visible_whole};
