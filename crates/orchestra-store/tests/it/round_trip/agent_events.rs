//! What an agent may say.

use orchestra_core::{
    AgentEvent, Cost, CostSource, Decision, PlanStep, Role, StepState, ToolKind, ToolUse, Usage,
};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use super::values::{cause, json, text};

/// As many kinds there are.
pub(super) const KINDS: usize = 16;

/// Which kind it is. A new one gets a number here and its values below.
pub(super) fn kind(event: &AgentEvent) -> usize {
    match event {
        AgentEvent::Started { .. } => 0,
        AgentEvent::Message { .. } => 1,
        AgentEvent::Thinking { .. } => 2,
        AgentEvent::ToolCall { .. } => 3,
        AgentEvent::ToolResult { .. } => 4,
        AgentEvent::Plan { .. } => 5,
        AgentEvent::Edit { .. } => 6,
        AgentEvent::PermissionAsked { .. } => 7,
        AgentEvent::PermissionDecided { .. } => 8,
        AgentEvent::Usage { .. } => 9,
        AgentEvent::AwaitingInput { .. } => 10,
        AgentEvent::Finished { .. } => 11,
        AgentEvent::Failed { .. } => 12,
        AgentEvent::Diagnostic { .. } => 13,
        AgentEvent::Unrecognized { .. } => 14,
        AgentEvent::PermissionWithdrawn { .. } => 15,
    }
}

fn usage() -> impl Strategy<Value = AgentEvent> {
    let cost = (any::<u64>(), any::<bool>()).prop_map(|(micro_usd, reported)| Cost {
        micro_usd,
        source: if reported {
            CostSource::Reported
        } else {
            CostSource::Estimated
        },
    });
    (any::<[u64; 4]>(), of(cost)).prop_map(|(tokens, cost)| AgentEvent::Usage {
        usage: Usage {
            input_tokens: tokens[0],
            output_tokens: tokens[1],
            cache_read_tokens: tokens[2],
            cache_write_tokens: tokens[3],
        },
        cost,
    })
}

pub(super) fn agent_event() -> impl Strategy<Value = AgentEvent> {
    let role = select(vec![Role::User, Role::Agent, Role::Subagent, Role::Engine]);
    prop_oneof![
        (of(text()), of(text()), of(text()), vec(text(), 0..4)).prop_map(
            |(thread, model, mode, tools)| AgentEvent::Started {
                thread,
                model,
                mode,
                tools
            }
        ),
        (role, text()).prop_map(|(role, text)| AgentEvent::Message { role, text }),
        text().prop_map(|text| AgentEvent::Thinking { text }),
        (text(), text(), json()).prop_map(|(id, name, input)| AgentEvent::ToolCall {
            id,
            name,
            input
        }),
        (text(), text(), any::<bool>()).prop_map(|(id, content, is_error)| {
            AgentEvent::ToolResult {
                id,
                content,
                is_error,
            }
        }),
        vec(step(), 0..4).prop_map(|steps| AgentEvent::Plan { steps }),
        (text(), text(), of(text()), text()).prop_map(|(id, path, old, new)| AgentEvent::Edit {
            id,
            path,
            old,
            new
        }),
        permission_asked(),
        (text(), decision(), text()).prop_map(|(id, decision, reason)| {
            AgentEvent::PermissionDecided {
                id,
                decision,
                reason,
            }
        }),
        usage(),
        text().prop_map(|question| AgentEvent::AwaitingInput { question }),
        of(text()).prop_map(|summary| AgentEvent::Finished { summary }),
        (cause(), text()).prop_map(|(cause, message)| AgentEvent::Failed { cause, message }),
        text().prop_map(|text| AgentEvent::Diagnostic { text }),
        text().prop_map(|raw| AgentEvent::Unrecognized { raw }),
        (text(), text()).prop_map(|(id, reason)| AgentEvent::PermissionWithdrawn { id, reason }),
    ]
}

fn step() -> impl Strategy<Value = PlanStep> {
    let state = select(vec![
        StepState::Pending,
        StepState::InProgress,
        StepState::Completed,
    ]);
    (text(), state).prop_map(|(text, state)| PlanStep { text, state })
}

fn permission_asked() -> impl Strategy<Value = AgentEvent> {
    let kind = select(vec![
        ToolKind::Read,
        ToolKind::Edit,
        ToolKind::Delete,
        ToolKind::Move,
        ToolKind::Search,
        ToolKind::Execute,
        ToolKind::Think,
        ToolKind::Fetch,
        ToolKind::Other,
    ]);
    (text(), text(), kind, json(), of(text())).prop_map(|(id, tool, kind, input, title)| {
        let tool_use = ToolUse { tool, kind, input };
        AgentEvent::PermissionAsked {
            id,
            tool_use,
            title,
        }
    })
}

pub(super) fn decision() -> impl Strategy<Value = Decision> {
    select(vec![Decision::Allow, Decision::Reject])
}
