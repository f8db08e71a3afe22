//! Events: what happened, appended, each with a sequence number. Every face follows them; none holds the only copy.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::status::Outcome;
use crate::{
    Caller, CommitId, DataKind, DatabaseState, Decision, GuardFinding, IterationNumber,
    OperationId, OperationKind, Parked, SessionId, SessionStatus, TemplateName, Timestamp,
};

/// One fact in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct Event {
    /// Its place in the log of this store.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// The session it is about.
    pub session: Option<SessionId>,
    /// What happened.
    pub body: EventBody,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventBody {
    /// A session was made: branch and worktree are reserved.
    SessionCreated {
        /// Its name.
        name: String,
    },
    /// The derived status is another one now.
    SessionStatusChanged {
        /// Before.
        from: SessionStatus,
        /// Now.
        to: SessionStatus,
    },
    /// A person changed a field such as notes or model.
    SessionChanged {
        /// The field.
        field: String,
    },
    /// The session was put away or brought back.
    SessionArchived {
        /// Whether it is put away now.
        archived: bool,
    },
    /// Nothing was left of a session, and its records were removed.
    SessionForgotten {
        /// What it was called.
        name: String,
    },
    /// An iteration waits for a slot.
    IterationQueued {
        /// Which one.
        iteration: IterationNumber,
    },
    /// The agent was started.
    IterationStarted {
        /// Which one.
        iteration: IterationNumber,
    },
    /// The agent's provider is overloaded, so an iteration waits.
    IterationParked {
        /// Which one.
        iteration: IterationNumber,
        /// When it is tried again, and which retry that is.
        parked: Parked,
        /// What the provider said.
        why: String,
    },
    /// The agent was started again in an iteration that had to wait.
    IterationResumed {
        /// Which one.
        iteration: IterationNumber,
        /// Which retry it is.
        retry: u32,
    },
    /// Items were added to the transcript.
    TranscriptAppended {
        /// Of which iteration.
        iteration: IterationNumber,
        /// The first new position.
        from: u64,
        /// The last new position.
        to: u64,
    },
    /// The agent asked something.
    InputRequested {
        /// In which iteration.
        iteration: IterationNumber,
        /// The question.
        question: String,
    },
    /// The agent wants to use a tool, and the user is asked.
    PermissionRequested {
        /// In which iteration.
        iteration: IterationNumber,
        /// The question's number within the iteration.
        question: u32,
        /// What it wants to do, in words.
        what: String,
    },
    /// It was decided whether the agent may use a tool.
    PermissionDecided {
        /// In which iteration it was asked.
        iteration: IterationNumber,
        /// The question's number within the iteration.
        question: u32,
        /// What was decided.
        decision: Decision,
    },
    /// A question whether the agent may use a tool was withdrawn: nothing was decided, and nobody waits for it any more.
    PermissionWithdrawn {
        /// In which iteration it was asked.
        iteration: IterationNumber,
        /// The question's number within the iteration.
        question: u32,
        /// Why.
        reason: String,
    },
    /// An iteration is over.
    IterationFinished {
        /// Which one.
        iteration: IterationNumber,
        /// How it ended.
        outcome: Outcome,
        /// Whether the script passed, when there is one.
        script_passed: Option<bool>,
    },
    /// Something outside of the session's worktree changed while its agent ran.
    GuardTripped {
        /// In which iteration.
        iteration: IterationNumber,
        /// What changed.
        findings: Vec<GuardFinding>,
    },
    /// A commit was made on the session's branch.
    CommitCreated {
        /// The commit.
        commit: CommitId,
        /// Its first line.
        subject: String,
    },
    /// A script was started.
    ScriptStarted {
        /// Its run.
        run: i64,
        /// Its name.
        script: String,
    },
    /// A script ended.
    ScriptFinished {
        /// Its run.
        run: i64,
        /// Its name.
        script: String,
        /// The exit code, absent when a signal ended it.
        exit_code: Option<i32>,
    },
    /// A server can be used.
    ServerReady {
        /// Its run.
        run: i64,
        /// Its name.
        script: String,
        /// Where it is reached.
        url: Option<String>,
    },
    /// A server is not ready, and its time for that is over.
    ServerLate {
        /// Its run.
        run: i64,
        /// Its name.
        script: String,
    },
    /// A session got other ports, because somebody else had taken its own.
    PortsMoved {
        /// What the settings call the block.
        name: String,
        /// The first port before.
        from: u16,
        /// The first port now.
        to: u16,
    },
    /// Somebody asked the runner for something.
    ControlRequested {
        /// What, such as `stop`.
        control: String,
    },
    /// Something was done to a session that can be seen in its operations.
    OperationFinished {
        /// Which one.
        operation: OperationId,
        /// What was done.
        operation_kind: OperationKind,
        /// What happened, for people.
        summary: String,
    },
    /// The session's worktree was deleted for good, after it lay in the trash.
    WorktreeDeleted,
    /// A database of the session was made, dropped, or is about to be.
    DatabaseChanged {
        /// What the settings call it.
        name: String,
        /// Its state; absent once it is gone.
        state: Option<DatabaseState>,
    },
    /// The user allowed a command of the repository's own settings file.
    CommandAllowed {
        /// The setting that names it.
        setting: String,
    },
    /// The user took that back.
    CommandForgotten {
        /// The setting that names it.
        setting: String,
    },
    /// Files of the session's worktree were collected.
    ArtifactsCollected {
        /// How many.
        files: usize,
    },
    /// A template of the user was saved under a new or an old name.
    TemplateSaved {
        /// Its name.
        template: TemplateName,
    },
    /// A template of the user was deleted.
    TemplateDeleted {
        /// Its name.
        template: TemplateName,
    },
    /// Transcripts or logs of a session were removed, on request or after their time.
    DataRemoved {
        /// What it was.
        what: DataKind,
        /// How much it was.
        bytes: u64,
        /// Why, and when.
        why: String,
    },
    /// The toolboxes of a session were put together anew.
    ToolboxResolved {
        /// The tools that its agent has, by name.
        tools: Vec<String>,
        /// Files in all, those that tools bring along included.
        files: usize,
        /// Files of later toolboxes that give way to earlier ones of the same name.
        shadowed: Vec<String>,
        /// What was not taken, and why.
        refused: Vec<String>,
    },
    /// Somebody other than the user asked for something to be done.
    ToolCalled {
        /// Who.
        caller: Caller,
        /// What for, by the tool's name.
        tool: String,
        /// The code of the refusal, if it was not granted.
        refused: Option<String>,
    },
    /// What somebody other than the user was granted came to nothing.
    ToolFailed {
        /// The sequence number of the event that tells who asked, and what for.
        call: u64,
        /// The code of the failure.
        code: String,
    },
    /// Something left by a crash was put right.
    Recovered {
        /// What was done, for people.
        what: String,
    },
}

impl EventBody {
    /// The event's name in the log and in filters, such as `session_created`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SessionCreated { .. } => "session_created",
            Self::SessionStatusChanged { .. } => "session_status_changed",
            Self::SessionChanged { .. } => "session_changed",
            Self::SessionArchived { .. } => "session_archived",
            Self::SessionForgotten { .. } => "session_forgotten",
            Self::IterationQueued { .. } => "iteration_queued",
            Self::IterationStarted { .. } => "iteration_started",
            Self::IterationParked { .. } => "iteration_parked",
            Self::IterationResumed { .. } => "iteration_resumed",
            Self::TranscriptAppended { .. } => "transcript_appended",
            Self::InputRequested { .. } => "input_requested",
            Self::PermissionRequested { .. } => "permission_requested",
            Self::PermissionDecided { .. } => "permission_decided",
            Self::PermissionWithdrawn { .. } => "permission_withdrawn",
            Self::IterationFinished { .. } => "iteration_finished",
            Self::GuardTripped { .. } => "guard_tripped",
            Self::CommitCreated { .. } => "commit_created",
            Self::ScriptStarted { .. } => "script_started",
            Self::ScriptFinished { .. } => "script_finished",
            Self::ServerReady { .. } => "server_ready",
            Self::ServerLate { .. } => "server_late",
            Self::PortsMoved { .. } => "ports_moved",
            Self::ControlRequested { .. } => "control_requested",
            Self::OperationFinished { .. } => "operation_finished",
            Self::WorktreeDeleted => "worktree_deleted",
            Self::DatabaseChanged { .. } => "database_changed",
            Self::CommandAllowed { .. } => "command_allowed",
            Self::CommandForgotten { .. } => "command_forgotten",
            Self::ArtifactsCollected { .. } => "artifacts_collected",
            Self::TemplateSaved { .. } => "template_saved",
            Self::TemplateDeleted { .. } => "template_deleted",
            Self::DataRemoved { .. } => "data_removed",
            Self::ToolboxResolved { .. } => "toolbox_resolved",
            Self::ToolCalled { .. } => "tool_called",
            Self::ToolFailed { .. } => "tool_failed",
            Self::Recovered { .. } => "recovered",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GuardPlace;

    #[test]
    fn the_name_is_the_tag_on_the_wire() {
        let bodies = [
            EventBody::SessionCreated {
                name: "x".to_owned(),
            },
            EventBody::SessionStatusChanged {
                from: SessionStatus::Idle,
                to: SessionStatus::Running,
            },
            EventBody::SessionChanged {
                field: "notes".to_owned(),
            },
            EventBody::SessionArchived { archived: true },
            EventBody::SessionForgotten {
                name: "x".to_owned(),
            },
            EventBody::IterationQueued {
                iteration: IterationNumber(1),
            },
            EventBody::IterationStarted {
                iteration: IterationNumber(1),
            },
            EventBody::IterationParked {
                iteration: IterationNumber(1),
                parked: Parked {
                    until: Timestamp::UNIX_EPOCH,
                    retry: 1,
                    retries: 5,
                },
                why: "overloaded".to_owned(),
            },
            EventBody::IterationResumed {
                iteration: IterationNumber(1),
                retry: 1,
            },
            EventBody::TranscriptAppended {
                iteration: IterationNumber(1),
                from: 1,
                to: 2,
            },
            EventBody::InputRequested {
                iteration: IterationNumber(1),
                question: "?".to_owned(),
            },
            EventBody::PermissionRequested {
                iteration: IterationNumber(1),
                question: 2,
                what: "run `make`".to_owned(),
            },
            EventBody::PermissionDecided {
                iteration: IterationNumber(1),
                question: 2,
                decision: Decision::Allow,
            },
            EventBody::PermissionWithdrawn {
                iteration: IterationNumber(2),
                question: 3,
                reason: "the turn ended".to_owned(),
            },
            EventBody::IterationFinished {
                iteration: IterationNumber(1),
                outcome: Outcome::Succeeded,
                script_passed: None,
            },
            EventBody::GuardTripped {
                iteration: IterationNumber(1),
                findings: vec![GuardFinding {
                    place: GuardPlace::Reference,
                    what: "the tag `v1` is new".to_owned(),
                }],
            },
            EventBody::CommitCreated {
                commit: "a".repeat(40).parse().unwrap(),
                subject: "s".to_owned(),
            },
            EventBody::ScriptStarted {
                run: 1,
                script: "test".to_owned(),
            },
            EventBody::ScriptFinished {
                run: 1,
                script: "test".to_owned(),
                exit_code: None,
            },
            EventBody::ServerReady {
                run: 1,
                script: "dev".to_owned(),
                url: Some("http://one.localhost:20000/".to_owned()),
            },
            EventBody::ServerLate {
                run: 1,
                script: "dev".to_owned(),
            },
            EventBody::PortsMoved {
                name: "web".to_owned(),
                from: 20_000,
                to: 20_001,
            },
            EventBody::ControlRequested {
                control: "stop".to_owned(),
            },
            EventBody::OperationFinished {
                operation: OperationId(1),
                operation_kind: OperationKind::Squash,
                summary: "s".to_owned(),
            },
            EventBody::WorktreeDeleted,
            EventBody::DatabaseChanged {
                name: "main".to_owned(),
                state: Some(DatabaseState::Ready),
            },
            EventBody::CommandAllowed {
                setting: "scripts.test".to_owned(),
            },
            EventBody::CommandForgotten {
                setting: "scripts.test".to_owned(),
            },
            EventBody::ArtifactsCollected { files: 2 },
            EventBody::TemplateSaved {
                template: "fix".parse().unwrap(),
            },
            EventBody::TemplateDeleted {
                template: "fix".parse().unwrap(),
            },
            EventBody::DataRemoved {
                what: crate::DataKind::Logs,
                bytes: 3,
                why: "on request".to_owned(),
            },
            EventBody::ToolboxResolved {
                tools: vec!["greet".to_owned()],
                files: 2,
                shadowed: Vec::new(),
                refused: vec!["pipe: it is a pipe".to_owned()],
            },
            EventBody::ToolCalled {
                caller: "mcp:claude".parse().unwrap(),
                tool: "session_land".to_owned(),
                refused: Some("grant.landing".to_owned()),
            },
            EventBody::ToolFailed {
                call: 7,
                code: "budget.spent".to_owned(),
            },
            EventBody::Recovered {
                what: "w".to_owned(),
            },
        ];
        for body in bodies {
            let json = serde_json::to_value(&body).unwrap();
            assert_eq!(json["type"], body.name());
            assert_eq!(serde_json::from_value::<EventBody>(json).unwrap(), body);
        }
    }
}
