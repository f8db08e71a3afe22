//! What a user is asked before an agent may use a tool, and what was decided.

use crate::permission::{Decision, ToolUse};
use crate::{IterationNumber, SessionId, Timestamp, visible_whole};

/// One use of a tool that the user decides about.
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionQuestion {
    /// Its key in the store.
    pub key: i64,
    /// The session.
    pub session: SessionId,
    /// The iteration in which it was asked.
    pub iteration: IterationNumber,
    /// Its number within the iteration, from 1.
    pub number: u32,
    /// The agent's name for its request, if the agent waits for the decision; the others have been told to end their turn.
    pub request: Option<String>,
    /// What the agent wants to do, without secrets.
    pub tool_use: ToolUse,
    /// The agent's own words for it.
    pub title: Option<String>,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// What was decided, once it was.
    pub decided: Option<Decided>,
    /// That it was withdrawn without a decision, once it was.
    pub withdrawn: Option<Withdrawn>,
}

/// A question that no agent waits for any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawn {
    /// Why.
    pub reason: String,
    /// When.
    pub at: Timestamp,
}

/// What was decided about one use of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// Whether it may.
    pub decision: Decision,
    /// The words that came with it.
    pub reason: Option<String>,
    /// When.
    pub at: Timestamp,
    /// When an agent made use of it. It may do so once.
    pub used_at: Option<Timestamp>,
    /// When the agent was told.
    pub told_at: Option<Timestamp>,
}

impl PermissionQuestion {
    /// What was decided and the agent does not know. One that waits is told by its runner, or waits no more.
    #[must_use]
    pub fn untold(&self) -> Option<&Decided> {
        let decided = self.decided.as_ref();
        decided.filter(|decided| self.request.is_none() && decided.told_at.is_none())
    }

    /// What the agent wants to do, to follow "wants to"; its own words stand beside it, never in its place.
    #[must_use]
    pub fn in_words(&self) -> String {
        let words = self.tool_use.in_words();
        match self.title.as_deref().map(visible_whole) {
            Some(title) if !words.contains(&title) => format!("{words} ({title})"),
            _ => words,
        }
    }
}
