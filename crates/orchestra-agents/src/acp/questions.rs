//! Questions for permission that the agent waits for.

use orchestra_core::Decision;
use serde_json::{Value, json};

use super::wire::{self, PermissionOption};
use crate::adapter::PassedOn;

/// As many may wait at once.
const MOST_WAITING: usize = 64;

/// What was asked and not answered.
#[derive(Debug, Default)]
pub(super) struct Questions(Vec<Question>);

#[derive(Debug)]
struct Question {
    id: Value,
    options: Vec<PermissionOption>,
}

impl Questions {
    /// Keeps a question. Answers what is to be sent for one that has no room.
    pub(super) fn keep(&mut self, id: Value, options: Vec<PermissionOption>) -> Option<Value> {
        let over = (self.0.len() >= MOST_WAITING).then(|| cancelled(&self.0.remove(0).id));
        self.0.push(Question { id, options });
        over
    }

    /// What is to be sent for a decision, and how it is passed on. What the agent would take for more than this one use is
    /// not chosen: it would never ask again.
    pub(super) fn decide(&mut self, id: &str, decision: Decision) -> Option<(Value, PassedOn)> {
        let index = self.0.iter().position(|asked| name(&asked.id) == id)?;
        let question = self.0.remove(index);
        let kind = match decision {
            Decision::Allow => "allow_once",
            Decision::Reject => "reject_once",
        };
        let chosen = question.options.iter().find(|option| option.kind == kind);
        Some(match chosen {
            None => (cancelled(&question.id), PassedOn::AsCancelled),
            Some(option) => {
                let outcome = json!({ "outcome": "selected", "optionId": option.option_id });
                let answer = wire::response(&question.id, &json!({ "outcome": outcome }));
                (answer, PassedOn::AsDecided)
            }
        })
    }

    /// What is to be sent because the turn is ended.
    pub(super) fn cancel(&mut self) -> Vec<Value> {
        let waiting = std::mem::take(&mut self.0);
        waiting.iter().map(|asked| cancelled(&asked.id)).collect()
    }
}

/// How a question is called outside the protocol.
pub(super) fn name(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

pub(super) fn cancelled(id: &Value) -> Value {
    wire::response(id, &json!({ "outcome": { "outcome": "cancelled" } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(kinds: &[&str]) -> Vec<PermissionOption> {
        let option = |kind: &&str| PermissionOption {
            option_id: format!("the-{kind}"),
            kind: (*kind).to_owned(),
        };
        kinds.iter().map(option).collect()
    }

    fn outcome(kinds: &[&str], decision: Decision) -> Value {
        let mut questions = Questions::default();
        assert_eq!(questions.keep(json!(7), options(kinds)), None);
        let (answer, passed_on) = questions.decide("7", decision).unwrap();
        assert_eq!(answer["id"], 7);
        assert_eq!(questions.decide("7", decision), None);
        let is_cancelled = answer["result"]["outcome"]["outcome"] == "cancelled";
        assert_eq!(passed_on == PassedOn::AsCancelled, is_cancelled);
        answer["result"]["outcome"].clone()
    }

    #[test]
    fn a_decision_becomes_the_option_that_means_it() {
        let all = ["reject_always", "reject_once", "allow_always", "allow_once"];
        let selected = |id: &str| json!({"outcome": "selected", "optionId": id});
        assert_eq!(outcome(&all, Decision::Allow), selected("the-allow_once"));
        assert_eq!(outcome(&all, Decision::Reject), selected("the-reject_once"));
        let none = json!({"outcome": "cancelled"});
        assert_eq!(outcome(&["allow_always"], Decision::Allow), none);
        assert_eq!(outcome(&["reject_always"], Decision::Reject), none);
        assert_eq!(outcome(&["allow_once"], Decision::Reject), none);
        assert_eq!(outcome(&[], Decision::Allow), none);
    }

    #[test]
    fn nobody_waits_for_an_answer_that_never_comes() {
        let mut questions = Questions::default();
        for id in 0..MOST_WAITING {
            assert_eq!(questions.keep(json!(id), Vec::new()), None);
        }
        let over = questions.keep(json!("last"), Vec::new()).unwrap();
        assert_eq!(over["id"], 0);
        assert_eq!(questions.cancel().len(), MOST_WAITING);
        assert!(questions.cancel().is_empty());
    }
}
