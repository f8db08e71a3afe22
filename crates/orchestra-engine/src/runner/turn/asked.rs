//! An agent that waits until it is told whether it may use a tool.

use orchestra_agents::PassedOn;
use orchestra_core::{
    AgentEvent, Decision, Iteration, PermissionPolicy, PermissionQuestion, ToolUse, Verdict,
};
use orchestra_store::NewQuestion;

use super::Turn;
use crate::EngineError;
use crate::notify::Notice;
use crate::permissions::{MOST_OPEN, by_user, question_in_words};
use crate::runner::limits::LimitWatch;

/// Questions that the agent waits for, and the state of the store when they were last looked at.
#[derive(Debug, Default)]
pub(super) struct Asked {
    waiting: Vec<PermissionQuestion>,
    seen: Option<i64>,
    /// Whether a decision waits until the agent has a slot again.
    waits_for_slot: bool,
}

impl Turn<'_> {
    /// Decides what policy and rules decide, and asks the user the rest. They see what the agent really wants; what is
    /// shown and kept of it has no secrets.
    pub(super) fn weigh(&mut self, request: &str, shown: &ToolUse, title: Option<&str>) {
        let engine = self.run.engine;
        let whole = self.unredacted.as_mut().and_then(|it| it.take(request));
        let Some(whole) = whole else {
            return self.tell(request, Decision::Reject, "it cannot be told what this is");
        };
        let judged = engine.session(&self.run.session.id).map(|view| {
            let by_policy = engine.permissions_of(&view.session) == PermissionPolicy::Allow;
            (engine.judge(&view.session, &whole), by_policy)
        });
        match judged {
            Ok((Verdict::Allow, true)) => {
                self.tell(request, Decision::Allow, "the session allows all");
            }
            Ok((Verdict::Allow, false)) => self.tell(request, Decision::Allow, "a rule allows it"),
            Ok((Verdict::Reject(reason), _)) => self.tell(request, Decision::Reject, &reason),
            Ok((Verdict::Ask, _)) if self.asked.waiting.len() >= MOST_OPEN => {
                self.tell(request, Decision::Reject, "too many questions are open");
            }
            Ok((Verdict::Ask, _)) => self.ask(request, shown, title),
            Err(error) => self.give_up(request, &error),
        }
    }

    fn ask(&mut self, request: &str, tool_use: &ToolUse, title: Option<&str>) {
        let engine = self.run.engine;
        // The question stands in the transcript before it can be decided.
        self.recorder.write();
        let title = title.map(|title| engine.redact(title));
        let known = self.known_so_far();
        let asked = engine.write(|tx| {
            tx.put_iteration(&known)?;
            tx.set_thread(&known.session, known.thread.as_deref())?;
            let new = NewQuestion {
                session: &self.run.session.id,
                iteration: self.run.iteration.number,
                request: Some(request),
                tool_use: &engine.without_secrets_in(tool_use),
                mark: None,
                title: title.as_deref(),
            };
            engine.ask_user(tx, &new)
        });
        match asked {
            Ok((question, event)) => {
                let words = question_in_words(std::slice::from_ref(&question));
                let notice = Notice::of_question(&self.run.session, &words.unwrap_or_default());
                engine.notify_beside(event, &notice);
                self.asked.waiting.push(question);
            }
            Err(error) => self.give_up(request, &error),
        }
    }

    /// The iteration with what the agent has reported, for a user who takes a while to decide.
    fn known_so_far(&self) -> Iteration {
        let mut iteration = self.run.iteration.clone();
        let prices = self.run.engine.prices();
        self.reported.fill_in(&mut iteration, &prices);
        iteration
    }

    /// Nobody can be asked, so it may not.
    fn give_up(&mut self, request: &str, error: &EngineError) {
        tracing::error!(code = error.code(), %error, "cannot ask for a permission");
        self.tell(request, Decision::Reject, "the user could not be asked");
    }

    fn tell(&mut self, request: &str, decision: Decision, reason: &str) {
        if self.conversation.decoder.decide(request, decision) == PassedOn::AsCancelled {
            let text = format!(
                "the agent offers no way to {} this once, so its question was cancelled",
                decision.name()
            );
            self.recorder.add(None, AgentEvent::Diagnostic { text });
        }
        self.recorder.add(
            None,
            AgentEvent::PermissionDecided {
                id: request.to_owned(),
                decision,
                reason: reason.to_owned(),
            },
        );
    }

    /// Tells the agent what was decided meanwhile. The time that the user takes is no silence of the agent.
    pub(super) fn pass_on_decisions(&mut self, limits: &mut LimitWatch) {
        if self.asked.waiting.is_empty() {
            return;
        }
        limits.rest();
        // An agent that waits for its user takes no slot from others.
        self.admitted.slot = None;
        let Ok(version) = self.run.engine.data_version() else {
            return;
        };
        if self.asked.seen == Some(version) {
            return;
        }
        match self.read_questions() {
            Ok(questions) => {
                if !self.may_go_on(&questions) {
                    return;
                }
                self.asked.seen = Some(version);
                self.asked.waiting.clear();
                for question in questions {
                    self.pass_on(question);
                }
            }
            Err(error) => tracing::warn!(%error, "cannot see what was decided"),
        }
    }

    /// Whether there is a slot for an agent that will go on.
    fn may_go_on(&mut self, questions: &[PermissionQuestion]) -> bool {
        if questions.iter().all(|question| question.decided.is_none()) {
            return true;
        }
        match self.run.engine.slots.try_take() {
            Ok(slot) => self.admitted.slot = slot,
            Err(error) => tracing::warn!(%error, "cannot take a slot"),
        }
        let may = self.admitted.slot.is_some();
        if !may && !self.asked.waits_for_slot {
            self.recorder
                .say("The agent is told what was decided as soon as a slot is free.");
        }
        self.asked.waits_for_slot = !may;
        may
    }

    fn read_questions(&self) -> Result<Vec<PermissionQuestion>, EngineError> {
        let waiting = &self.asked.waiting;
        self.run.engine.store.read(|tx| {
            let now = waiting.iter().map(|it| tx.question(it.key));
            Ok(now.collect::<Result<_, _>>()?)
        })
    }

    fn pass_on(&mut self, question: PermissionQuestion) {
        let request = question.request.as_deref().unwrap_or_default();
        match &question.decided {
            _ if question.withdrawn.is_some() => {}
            Some(decided) => {
                self.tell(
                    request,
                    decided.decision,
                    &by_user(decided.reason.as_deref()),
                );
            }
            None => self.asked.waiting.push(question),
        }
    }

    /// What the agent waited for when its turn ended waits no more.
    pub(super) fn withdraw_questions(&mut self) {
        let waiting = std::mem::take(&mut self.asked.waiting);
        self.withdraw(&waiting);
    }

    /// After a turn that came to no good end, no other follows that would be told what was decided.
    pub(super) fn withdraw_questions_for_later(&mut self) {
        let open = self.open_questions();
        self.withdraw(&open);
    }

    fn withdraw(&mut self, questions: &[PermissionQuestion]) {
        if questions.is_empty() {
            return;
        }
        // What was said before stands before it.
        self.recorder.write();
        let (engine, id) = (self.run.engine, &self.run.session.id);
        let withdrawn = engine.write(|tx| {
            let before = engine.view_in(tx, id)?.status;
            for question in questions {
                engine.withdraw_question(tx, question, "the turn ended")?;
            }
            engine.tell_new_status(tx, id, before)
        });
        if let Err(error) = withdrawn {
            tracing::warn!(%error, "cannot withdraw a question");
        }
    }

    /// What the agent could not wait for, as the question that its turn ended with.
    pub(super) fn question_for_later(&self) -> Option<String> {
        question_in_words(&self.open_questions())
    }

    fn open_questions(&self) -> Vec<PermissionQuestion> {
        let run = self.run;
        let open = run
            .engine
            .store
            .read(|tx| Ok::<_, EngineError>(tx.open_questions(Some(&run.session.id))?));
        open.unwrap_or_else(|error| {
            tracing::error!(%error, "cannot see what the agent asked for");
            Vec::new()
        })
    }
}
