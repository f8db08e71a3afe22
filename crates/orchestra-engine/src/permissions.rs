//! What agents may do: one policy and one list of rules for every agent, and questions for the user where they say so.
//!
//! An agent that can wait is told what was decided while it runs. One that cannot asks a hook, which says no and records the
//! question; once it is decided, the next turn tells the agent, and the hook allows exactly that.

mod decide;
mod door;
mod hook;
mod mark;

use orchestra_agents::{Agent, AgentError, Features};
use orchestra_config::Origin;
use orchestra_core::{
    AgentEvent, EventBody, PermissionPolicy, PermissionQuestion, PermissionRule, Session,
    SessionId, SessionStatus, ToolUse, Verdict, judge,
};
use orchestra_store::{NewItem, NewQuestion, Tx};
use serde_json::Value;

use crate::view::tell_status;
use crate::{Engine, EngineError};

pub use decide::{AfterDecision, Decide, Reach};
pub(crate) use decide::{by_user, decisions_in_turn};
pub use door::ask_hook_at;
pub(crate) use hook::{Hook, MOST_OPEN, remove_hook};
pub use hook::{HookAnswer, HookCall, PERMISSION_AT, PERMISSION_MODE};

impl Engine {
    /// What happens when the agent of a session wants to use a tool: what the session says, else the setting.
    #[must_use]
    pub fn permissions_of(&self, session: &Session) -> PermissionPolicy {
        session
            .permissions
            .unwrap_or(self.config().agents.permissions)
    }

    /// What to tell whoever gave rules that nobody looks at.
    #[must_use]
    pub fn idle_rules_warning(&self, session: &Session) -> Option<String> {
        let follows_settings = session.permissions.is_none() && self.has_set_rules();
        let has_rules = !session.rules.is_empty() || follows_settings;
        let is_idle = has_rules && self.permissions_of(session) == PermissionPolicy::Allow;
        is_idle.then(|| {
            let id = &session.id;
            format!(
                "the rules for its tools have no effect, since its permissions are `allow`; \
                 `orchestra session set {id} permissions ask` (or `rules`) lets them decide"
            )
        })
    }

    /// Whether somebody wrote rules into the settings.
    fn has_set_rules(&self) -> bool {
        let values = self.resolved.values.iter();
        let mut rules = values.filter(|value| value.key == "agents.rules");
        let has_any = !self.config().agents.rules.is_empty();
        has_any && rules.any(|value| value.origin != Origin::Default)
    }

    /// What policy and rules say; the session's own rules come first.
    pub(crate) fn judge(&self, session: &Session, tool_use: &ToolUse) -> Verdict {
        let rules = session.rules.iter().chain(&self.config().agents.rules);
        let rules: Vec<PermissionRule> = rules.cloned().collect();
        let policy = self.permissions_of(session);
        judge(policy, &rules, tool_use, &session.worktree)
    }

    /// Refuses an agent that would do as it likes although the session says otherwise.
    pub(crate) fn require_obedience(
        &self,
        session: &Session,
        agent: &Agent,
        features: &Features,
    ) -> Result<(), EngineError> {
        let policy = self.permissions_of(session);
        if policy == PermissionPolicy::Allow || agent.abilities(features).approvals {
            return Ok(());
        }
        Err(AgentError::AsksNobody {
            agent: agent.name().to_owned(),
            policy,
            session: session.id.to_string(),
        }
        .into())
    }

    /// A use of a tool as it can be kept and shown.
    pub(crate) fn without_secrets_in(&self, tool_use: &ToolUse) -> ToolUse {
        ToolUse {
            input: self.redacted(&tool_use.input),
            ..tool_use.clone()
        }
    }

    fn redacted(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact(text)),
            Value::Array(items) => items.iter().map(|item| self.redacted(item)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| (self.redact(name), self.redacted(value)))
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// Records a question and tells of it. Answers the number of that event too.
    pub(crate) fn ask_user(
        &self,
        tx: &Tx<'_>,
        new: &NewQuestion<'_>,
    ) -> Result<(PermissionQuestion, u64), EngineError> {
        let before = self.view_in(tx, new.session)?.status;
        let question = tx.insert_question(new)?;
        let requested = EventBody::PermissionRequested {
            iteration: question.iteration,
            question: question.number,
            what: question.in_words(),
        };
        let event = tx.append_event(Some(new.session), &requested)?;
        self.tell_new_status(tx, new.session, before)?;
        Ok((question, event))
    }

    /// Writes down that no agent waits for a decision any more, unless it was decided.
    pub(crate) fn withdraw_question(
        &self,
        tx: &Tx<'_>,
        question: &PermissionQuestion,
        reason: &str,
    ) -> Result<(), EngineError> {
        if !tx.withdraw_question(question.key, reason)? {
            return Ok(());
        }
        let withdrawn = EventBody::PermissionWithdrawn {
            iteration: question.iteration,
            question: question.number,
            reason: reason.to_owned(),
        };
        tx.append_event(Some(&question.session), &withdrawn)?;
        let number = || question.number.to_string();
        let event = AgentEvent::PermissionWithdrawn {
            id: question.request.clone().unwrap_or_else(number),
            reason: reason.to_owned(),
        };
        self.add_to_transcript(tx, question, event)
    }

    pub(crate) fn tell_new_status(
        &self,
        tx: &Tx<'_>,
        id: &SessionId,
        before: SessionStatus,
    ) -> Result<(), EngineError> {
        let after = self.view_in(tx, id)?.status;
        tell_status(tx, id, before, after)
    }

    /// Adds what was asked or decided to the transcript, for somebody else than the runner.
    fn add_to_transcript(
        &self,
        tx: &Tx<'_>,
        question: &PermissionQuestion,
        event: AgentEvent,
    ) -> Result<(), EngineError> {
        let item = NewItem {
            at: self.now(),
            line: None,
            event,
        };
        let (session, iteration) = (&question.session, question.iteration);
        if let Some((from, to)) = tx.append_transcript(session, iteration, &[item])? {
            let appended = EventBody::TranscriptAppended {
                iteration,
                from,
                to,
            };
            tx.append_event(Some(session), &appended)?;
        }
        Ok(())
    }
}

/// What an agent waits for, as the question of its turn.
pub(crate) fn question_in_words(questions: &[PermissionQuestion]) -> Option<String> {
    let wishes = questions.iter().map(PermissionQuestion::in_words);
    let wishes = wishes.collect::<Vec<_>>().join(", and to ");
    (!wishes.is_empty()).then(|| format!("wants to {wishes}: allow or reject?"))
}
