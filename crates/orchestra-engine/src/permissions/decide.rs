//! The user's side: deciding what an agent asked for.

use orchestra_core::status::Outcome;
use orchestra_core::{
    AgentEvent, Decision, EventBody, Iteration, PermissionQuestion, PermissionRule, Progress,
    SessionId, SessionStatus,
};
use orchestra_store::{SessionField, Tx};

use crate::iterate::StartIteration;
use crate::setup::SetupNeed;
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// What the user says to an agent that wants to use a tool.
#[derive(Debug, Clone)]
pub struct Decide {
    /// Whether it may.
    pub decision: Decision,
    /// How far that reaches.
    pub reach: Reach,
    /// One question, by its number; else all that are open.
    pub question: Option<u32>,
    /// Words for the agent.
    pub words: Option<String>,
}

/// How far a decision reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// This use alone.
    Once,
    /// The same use for as long as the session lives.
    Always,
}

impl Reach {
    /// From a flag of a command.
    #[must_use]
    pub const fn always_if(flag: bool) -> Self {
        if flag { Self::Always } else { Self::Once }
    }
}

/// What comes after a decision.
#[derive(Debug, Clone)]
pub enum AfterDecision {
    /// The agent had waited, and goes on.
    GoesOn(Box<Iteration>),
    /// The next turn was started, which tells the agent.
    NextTurn(Box<Iteration>),
    /// Something else is still to be decided.
    StillAsks(Vec<PermissionQuestion>),
}

impl Engine {
    /// Decides what the agent of a session may do.
    ///
    /// # Errors
    /// If it did not ask, or the next turn cannot be started; the decision stands then, and the same command goes on with it.
    pub fn decide_permission(
        &self,
        id: &SessionId,
        decide: &Decide,
    ) -> Result<AfterDecision, EngineError> {
        self.recover_session(id)?;
        let view = self.session(id)?;
        let iteration = asking_iteration(&view)?;
        let chosen = chosen(&view, decide);
        if chosen.is_empty() {
            self.require_same_decision(&view, &iteration, decide)?;
        }
        let words = decide.words.as_deref().map(|words| self.redact(words));
        let rules = rules_for(&chosen, decide)?;
        let left = self.write(|tx| {
            for question in &chosen {
                if !self.record_decision(tx, question, decide.decision, words.as_deref())? {
                    let first = tx.question(question.key)?;
                    return Err(already_decided(view.status, &first));
                }
                if decide.reach == Reach::Always {
                    // The rule says it from now on; once it is gone, nothing is left of it.
                    tx.use_up_decision(question.key)?;
                }
            }
            self.add_rules(tx, id, rules)?;
            Ok(tx.open_questions(Some(id))?)
        })?;
        if !left.is_empty() {
            return Ok(AfterDecision::StillAsks(left));
        }
        match iteration.progress.is_finished() {
            true => self.tell_agent(&view, &iteration),
            false => Ok(AfterDecision::GoesOn(Box::new(iteration))),
        }
    }

    /// Writes a decision down, unless somebody was first. Answers whether it counts.
    pub(crate) fn record_decision(
        &self,
        tx: &Tx<'_>,
        question: &PermissionQuestion,
        decision: Decision,
        words: Option<&str>,
    ) -> Result<bool, EngineError> {
        let id = &question.session;
        let before = self.view_in(tx, id)?.status;
        if !tx.decide_question(question.key, decision, words)? {
            return Ok(false);
        }
        let decided = EventBody::PermissionDecided {
            iteration: question.iteration,
            question: question.number,
            decision,
        };
        tx.append_event(Some(id), &decided)?;
        if question.request.is_none() {
            // An agent that waits is told by its runner, which then says so.
            let told = AgentEvent::PermissionDecided {
                id: question.number.to_string(),
                decision,
                reason: by_user(words),
            };
            self.add_to_transcript(tx, question, told)?;
        }
        self.tell_new_status(tx, id, before)?;
        Ok(true)
    }

    /// Where nothing is open any more, the command may go on with what was decided and not told, but changes nothing of it.
    fn require_same_decision(
        &self,
        view: &SessionView,
        iteration: &Iteration,
        decide: &Decide,
    ) -> Result<(), EngineError> {
        let mut untold = self.untold_in(iteration)?;
        untold.retain(|question| decide.question.is_none_or(|it| it == question.number));
        let decision = |question: &PermissionQuestion| Some(question.untold()?.decision);
        let other = |question: &&PermissionQuestion| decision(question) != Some(decide.decision);
        match (untold.iter().find(other), decide.question) {
            (Some(other), _) => Err(already_decided(view.status, other)),
            (None, Some(number)) if untold.is_empty() => Err(not_open(view, number)),
            (None, None) if untold.is_empty() => Err(nothing_asked(view)),
            (None, _) => Ok(()),
        }
    }

    fn untold_in(&self, iteration: &Iteration) -> Result<Vec<PermissionQuestion>, EngineError> {
        let (session, number) = (&iteration.session, iteration.number);
        let asked = |tx: &Tx<'_>| Ok::<_, EngineError>(tx.questions(session, number)?);
        let mut asked = self.store.read(asked)?;
        asked.retain(|question| question.untold().is_some());
        Ok(asked)
    }

    /// Rules for always come before those that are there.
    fn add_rules(
        &self,
        tx: &Tx<'_>,
        id: &SessionId,
        mut rules: Vec<PermissionRule>,
    ) -> Result<(), EngineError> {
        if rules.is_empty() {
            return Ok(());
        }
        for known in self.view_in(tx, id)?.session.rules {
            if !rules.contains(&known) {
                rules.push(known);
            }
        }
        let rules = SessionField::Rules(rules);
        tx.set_field(id, &rules)?;
        let field = rules.name().to_owned();
        tx.append_event(Some(id), &EventBody::SessionChanged { field })?;
        Ok(())
    }

    /// The next turn of the same conversation, which begins with what was decided.
    fn tell_agent(
        &self,
        view: &SessionView,
        iteration: &Iteration,
    ) -> Result<AfterDecision, EngineError> {
        let told = self.untold_in(iteration)?;
        let request = StartIteration {
            input: Some(decisions_in_words(&told)),
            no_commit: !iteration.commit,
            // The conversation goes on as it began.
            setup: SetupNeed::Waived,
            ..StartIteration::default()
        };
        let next = self.start_iteration(&view.session.id, &request)?;
        self.write(|tx| {
            for question in &told {
                tx.note_told(question.key)?;
            }
            Ok(())
        })?;
        Ok(AfterDecision::NextTurn(Box::new(next)))
    }
}

/// Who decided, and why.
pub(crate) fn by_user(words: Option<&str>) -> String {
    match words {
        Some(words) => format!("by the user: {words}"),
        None => "by the user".to_owned(),
    }
}

/// The open questions that the decision is about.
fn chosen(view: &SessionView, decide: &Decide) -> Vec<PermissionQuestion> {
    let is_meant = |question: &&PermissionQuestion| {
        decide
            .question
            .is_none_or(|number| question.number == number)
    };
    view.questions.iter().filter(is_meant).cloned().collect()
}

fn not_open(view: &SessionView, number: u32) -> EngineError {
    let id = &view.session.id;
    EngineError::Invalid {
        problem: format!("question {number} is not open"),
        way_out: Some(format!("`orchestra session status {id}` shows what is")),
    }
}

fn already_decided(status: SessionStatus, question: &PermissionQuestion) -> EngineError {
    let (id, number) = (&question.session, question.number);
    let decided = question.decided.as_ref();
    let way_out = match decided.map(|decided| decided.decision.name()) {
        Some(decision) => format!(
            "question {number} was decided: {decision}; `orchestra session answer {id} --question {number} --{decision}` goes on with it"
        ),
        None => format!("`orchestra session status {id}` shows what is open"),
    };
    EngineError::WrongState {
        session: id.clone(),
        status,
        why: "it is decided already",
        way_out,
    }
}

/// The iteration whose agent waits for a decision: it runs, or its turn ended with that question.
fn asking_iteration(view: &SessionView) -> Result<Iteration, EngineError> {
    let waits = view.status == SessionStatus::AwaitingInput;
    let asks = |iteration: &&Iteration| {
        let ended = Progress::Finished(Outcome::AwaitingInput);
        waits && (!iteration.progress.is_finished() || iteration.progress == ended)
    };
    let asking = view.iteration.as_ref().filter(asks);
    asking.cloned().ok_or_else(|| nothing_asked(view))
}

fn nothing_asked(view: &SessionView) -> EngineError {
    let id = &view.session.id;
    EngineError::WrongState {
        session: id.clone(),
        status: view.status,
        why: "it asked for no permission",
        way_out: match view.status {
            SessionStatus::AwaitingInput => format!("`orchestra session answer {id} \"...\"`"),
            _ => format!("`orchestra session status {id}` shows how it stands"),
        },
    }
}

/// The rules that decide the same from now on. A secret that was taken out of a command cannot be part of a rule.
fn rules_for(
    questions: &[PermissionQuestion],
    decide: &Decide,
) -> Result<Vec<PermissionRule>, EngineError> {
    if decide.reach == Reach::Once {
        return Ok(Vec::new());
    }
    if let Some(any) = questions.iter().find(|it| it.tool_use.subject().is_none()) {
        return Err(EngineError::Invalid {
            problem: format!(
                "the arguments of {} do not tell what a rule could be about",
                any.tool_use.tool
            ),
            way_out: Some("decide without --always, or write a rule into agents.rules".to_owned()),
        });
    }
    let rule = |question: &PermissionQuestion| {
        let rule = question.tool_use.rule(decide.decision);
        rule.filter(|rule| !rule.to_string().contains(r"\*\*\*"))
    };
    let rules: Option<Vec<_>> = questions.iter().map(rule).collect();
    rules.ok_or_else(|| EngineError::Invalid {
        problem: "what it asks for has a secret in it, which no rule can name".to_owned(),
        way_out: Some("decide without --always, or write a rule into agents.rules".to_owned()),
    })
}

/// What the agent is told at the beginning of its next turn.
fn decisions_in_words(questions: &[PermissionQuestion]) -> String {
    let mut lines = Vec::new();
    for question in questions {
        let Some(decided) = question.untold() else {
            continue;
        };
        let verb = match decided.decision {
            Decision::Allow => "allowed you to",
            Decision::Reject => "does not allow you to",
        };
        let words = decided.reason.as_deref();
        let words = words.map_or_else(String::new, |words| format!(" {words}"));
        lines.push(format!(
            "The operator {verb} {}.{words}",
            question.in_words()
        ));
    }
    lines.push("Go on with the task.".to_owned());
    lines.join("\n")
}
