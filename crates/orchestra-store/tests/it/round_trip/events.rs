//! What may happen.

use orchestra_core::status::{Outcome, Settlement};
use orchestra_core::{
    Caller, DataKind, DatabaseState, EventBody, GuardFinding, GuardPlace, IterationNumber,
    OperationId, OperationKind, Parked, SessionStatus, TemplateName, Timestamp,
};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use super::agent_events::decision;
use super::values::{cause, text};

/// As many kinds there are.
pub(super) const KINDS: usize = 36;

/// Which kind it is. A new one gets a number here and its values below.
pub(super) fn kind(body: &EventBody) -> usize {
    match body {
        EventBody::SessionCreated { .. } => 0,
        EventBody::SessionStatusChanged { .. } => 1,
        EventBody::SessionChanged { .. } => 2,
        EventBody::SessionArchived { .. } => 3,
        EventBody::SessionForgotten { .. } => 4,
        EventBody::IterationQueued { .. } => 5,
        EventBody::IterationStarted { .. } => 6,
        EventBody::IterationParked { .. } => 7,
        EventBody::IterationResumed { .. } => 8,
        EventBody::TranscriptAppended { .. } => 9,
        EventBody::InputRequested { .. } => 10,
        EventBody::PermissionRequested { .. } => 11,
        EventBody::PermissionDecided { .. } => 12,
        EventBody::IterationFinished { .. } => 13,
        EventBody::CommitCreated { .. } => 14,
        EventBody::ScriptStarted { .. } => 15,
        EventBody::ScriptFinished { .. } => 16,
        EventBody::ServerReady { .. } => 17,
        EventBody::ServerLate { .. } => 18,
        EventBody::PortsMoved { .. } => 19,
        EventBody::ControlRequested { .. } => 20,
        EventBody::OperationFinished { .. } => 21,
        EventBody::WorktreeDeleted => 22,
        EventBody::DatabaseChanged { .. } => 23,
        EventBody::CommandAllowed { .. } => 24,
        EventBody::CommandForgotten { .. } => 25,
        EventBody::ArtifactsCollected { .. } => 26,
        EventBody::TemplateSaved { .. } => 27,
        EventBody::TemplateDeleted { .. } => 28,
        EventBody::Recovered { .. } => 29,
        EventBody::PermissionWithdrawn { .. } => 30,
        EventBody::GuardTripped { .. } => 31,
        EventBody::DataRemoved { .. } => 32,
        EventBody::ToolboxResolved { .. } => 33,
        EventBody::ToolCalled { .. } => 34,
        EventBody::ToolFailed { .. } => 35,
    }
}

pub(super) fn event() -> impl Strategy<Value = EventBody> {
    prop_oneof![session_event(), run_event(), surroundings_event()]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        select(vec![
            Outcome::Succeeded,
            Outcome::AwaitingInput,
            Outcome::Stopped,
            Outcome::Interrupted,
            Outcome::Settled(Settlement::Kept),
            Outcome::Settled(Settlement::Discarded),
        ]),
        cause().prop_map(Outcome::Blocked),
        cause().prop_map(Outcome::Failed),
    ]
}

fn place() -> impl Strategy<Value = GuardPlace> {
    select(vec![
        GuardPlace::MainCheckout,
        GuardPlace::Worktree,
        GuardPlace::GitDirectory,
        GuardPlace::Reference,
        GuardPlace::Stash,
    ])
}

fn iteration() -> impl Strategy<Value = IterationNumber> {
    any::<u32>().prop_map(IterationNumber)
}

fn session_event() -> impl Strategy<Value = EventBody> {
    let status = || select(SessionStatus::ALL.to_vec());
    prop_oneof![
        text().prop_map(|name| EventBody::SessionCreated { name }),
        (status(), status()).prop_map(|(from, to)| EventBody::SessionStatusChanged { from, to }),
        text().prop_map(|field| EventBody::SessionChanged { field }),
        any::<bool>().prop_map(|archived| EventBody::SessionArchived { archived }),
        any::<String>().prop_map(|name| EventBody::SessionForgotten { name }),
        ("[0-9a-f]{40}", text()).prop_map(|(commit, subject)| EventBody::CommitCreated {
            commit: commit.parse().unwrap(),
            subject,
        }),
        finished_operation(),
        Just(EventBody::WorktreeDeleted),
        text().prop_map(|control| EventBody::ControlRequested { control }),
        text().prop_map(|what| EventBody::Recovered { what }),
        toolbox(),
        call(),
        failed_call(),
    ]
}

fn run_event() -> impl Strategy<Value = EventBody> {
    prop_oneof![
        iteration().prop_map(|iteration| EventBody::IterationQueued { iteration }),
        iteration().prop_map(|iteration| EventBody::IterationStarted { iteration }),
        (iteration(), any::<u32>())
            .prop_map(|(iteration, retry)| EventBody::IterationResumed { iteration, retry }),
        (iteration(), parked(), text()).prop_map(|(iteration, parked, why)| {
            EventBody::IterationParked {
                iteration,
                parked,
                why,
            }
        }),
        (iteration(), any::<u32>(), text()).prop_map(|(iteration, question, what)| {
            EventBody::PermissionRequested {
                iteration,
                question,
                what,
            }
        }),
        (iteration(), any::<u32>(), decision()).prop_map(|(iteration, question, decision)| {
            EventBody::PermissionDecided {
                iteration,
                question,
                decision,
            }
        }),
        (iteration(), any::<u32>(), text()).prop_map(|(iteration, question, reason)| {
            EventBody::PermissionWithdrawn {
                iteration,
                question,
                reason,
            }
        }),
        (iteration(), place(), text()).prop_map(|(iteration, place, what)| {
            EventBody::GuardTripped {
                iteration,
                findings: vec![GuardFinding { place, what }],
            }
        }),
        (iteration(), any::<u64>(), any::<u64>()).prop_map(|(iteration, from, to)| {
            EventBody::TranscriptAppended {
                iteration,
                from,
                to,
            }
        }),
        (iteration(), text()).prop_map(|(iteration, question)| EventBody::InputRequested {
            iteration,
            question
        }),
        (iteration(), outcome(), any::<Option<bool>>()).prop_map(
            |(iteration, outcome, script_passed)| EventBody::IterationFinished {
                iteration,
                outcome,
                script_passed,
            }
        ),
        (any::<i64>(), text()).prop_map(|(run, script)| EventBody::ScriptStarted { run, script }),
        (any::<i64>(), text(), any::<Option<i32>>()).prop_map(|(run, script, exit_code)| {
            EventBody::ScriptFinished {
                run,
                script,
                exit_code,
            }
        }),
    ]
}

fn surroundings_event() -> impl Strategy<Value = EventBody> {
    prop_oneof![
        (any::<i64>(), text(), of(text())).prop_map(|(run, script, url)| EventBody::ServerReady {
            run,
            script,
            url
        }),
        (any::<i64>(), text()).prop_map(|(run, script)| EventBody::ServerLate { run, script }),
        (text(), any::<u16>(), any::<u16>()).prop_map(|(name, from, to)| EventBody::PortsMoved {
            name,
            from,
            to
        }),
        (text(), of(database_state()))
            .prop_map(|(name, state)| EventBody::DatabaseChanged { name, state }),
        text().prop_map(|setting| EventBody::CommandAllowed { setting }),
        text().prop_map(|setting| EventBody::CommandForgotten { setting }),
        any::<u32>().prop_map(|files| EventBody::ArtifactsCollected {
            files: files as usize
        }),
        template().prop_map(|template| EventBody::TemplateSaved { template }),
        template().prop_map(|template| EventBody::TemplateDeleted { template }),
        (select(DataKind::ALL.to_vec()), any::<u64>(), text())
            .prop_map(|(what, bytes, why)| EventBody::DataRemoved { what, bytes, why }),
    ]
}

fn finished_operation() -> impl Strategy<Value = EventBody> {
    let kind = select(vec![
        OperationKind::Commit,
        OperationKind::Discard,
        OperationKind::Squash,
        OperationKind::Rebase,
        OperationKind::Resolve,
        OperationKind::Merge,
        OperationKind::Push,
        OperationKind::Cleanup,
        OperationKind::Undo,
        OperationKind::Redo,
    ]);
    (any::<i64>(), kind, text()).prop_map(|(operation, operation_kind, summary)| {
        EventBody::OperationFinished {
            operation: OperationId(operation),
            operation_kind,
            summary,
        }
    })
}

fn parked() -> impl Strategy<Value = Parked> {
    (0..4_000_000_000_000_i64, any::<u32>(), any::<u32>()).prop_map(|(until, retry, retries)| {
        Parked {
            until: Timestamp::from_millisecond(until).unwrap(),
            retry,
            retries,
        }
    })
}

fn toolbox() -> impl Strategy<Value = EventBody> {
    let texts = || proptest::collection::vec(text(), 0..3);
    (texts(), any::<u16>(), texts(), texts()).prop_map(|(tools, files, shadowed, refused)| {
        EventBody::ToolboxResolved {
            tools,
            files: files.into(),
            shadowed,
            refused,
        }
    })
}

fn call() -> impl Strategy<Value = EventBody> {
    let caller = "[a-zA-Z0-9][a-zA-Z0-9._-]{0,20}".prop_map(|name| Caller::named(&name).unwrap());
    (caller, text(), of(text())).prop_map(|(caller, tool, refused)| EventBody::ToolCalled {
        caller,
        tool,
        refused,
    })
}

fn failed_call() -> impl Strategy<Value = EventBody> {
    (any::<u32>(), text()).prop_map(|(call, code)| EventBody::ToolFailed {
        call: call.into(),
        code,
    })
}

fn database_state() -> impl Strategy<Value = DatabaseState> {
    select(vec![
        DatabaseState::Reserved,
        DatabaseState::Creating,
        DatabaseState::Ready,
        DatabaseState::Failed,
        DatabaseState::Unknown,
        DatabaseState::Dropping,
    ])
}

fn template() -> impl Strategy<Value = TemplateName> {
    "[a-z0-9][a-z0-9_-]{0,10}".prop_map(|name| name.parse().unwrap())
}
