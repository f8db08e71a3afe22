//! The user's side: deciding what an agent asked for.

use orchestra_core::status::Outcome;
use orchestra_core::{
    AgentEvent, Decided, Decision, EventBody, Iteration, IterationNumber, PermissionQuestion,
    PermissionRule, Progress, SessionId, SessionStatus,
};
use orchestra_store::{SessionField, Tx};

use crate::change::busy;
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
        let Some(iteration) = asking_iteration(&view) else {
            return Err(self.why_not_asked(&view, decide)?);
        };
        let chosen = chosen(&view, decide);
        if chosen.is_empty() {
            self.require_same_decision(&view, &iteration, decide)?;
        }
        if iteration.progress.is_finished() {
            // What cannot be told now is not recorded: a later turn would use it, whatever the user says by then.
            self.require_agent(&view.session)?;
        }
        let words = decide.words.as_deref().map(|words| self.redact(words));
        let rules = rules_for(&chosen, decide)?;
        let left = self.write(|tx| {
            for question in &chosen {
                if !self.record_decision(tx, question, decide.decision, words.as_deref())? {
                    let first = tx.question(question.key)?;
                    return Err(already_settled(&view, &first));
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
            (Some(other), _) => Err(already_settled(view, other)),
            (None, Some(number)) if untold.is_empty() => {
                let settled = self.last_settled(iteration, decide)?;
                Err(settled.map_or_else(
                    || not_open(view, number),
                    |question| already_settled(view, &question),
                ))
            }
            (None, None) if untold.is_empty() => Err(nothing_asked(view)),
            (None, _) => Ok(()),
        }
    }

    /// Why there is nothing to decide: somebody was first, nobody waits for it any more, or nothing was asked.
    fn why_not_asked(
        &self,
        view: &SessionView,
        decide: &Decide,
    ) -> Result<EngineError, EngineError> {
        if view.parked().is_some() {
            return Ok(busy(view));
        }
        let settled = match &view.iteration {
            // It asks something else by now.
            _ if view.status == SessionStatus::AwaitingInput => None,
            Some(latest) => self.last_settled(latest, decide)?,
            None => None,
        };
        Ok(match settled {
            Some(question) => already_settled(view, &question),
            None => nothing_asked(view),
        })
    }

    /// What was last decided or withdrawn of what is meant: in this turn, or before it if it has only begun.
    fn last_settled(
        &self,
        latest: &Iteration,
        decide: &Decide,
    ) -> Result<Option<PermissionQuestion>, EngineError> {
        let (session, number) = (&latest.session, latest.number);
        let before = IterationNumber(number.0.saturating_sub(1));
        let mut asked = self.store.read(|tx| {
            let mut asked = tx.questions(session, number)?;
            if asked.is_empty() && !latest.progress.is_finished() {
                asked = tx.questions(session, before)?;
            }
            Ok::<_, EngineError>(asked)
        })?;
        asked.retain(|it| decide.question.is_none_or(|number| number == it.number));
        let settled_at = |question: &PermissionQuestion| {
            let decided = question.decided.as_ref().map(|decided| decided.at);
            decided.or(question.withdrawn.as_ref().map(|withdrawn| withdrawn.at))
        };
        asked.retain(|question| settled_at(question).is_some());
        Ok(asked.into_iter().max_by_key(settled_at))
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
            answers: Some(iteration.number),
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

/// Tells whoever was second what the first decided.
fn already_settled(view: &SessionView, question: &PermissionQuestion) -> EngineError {
    let (id, number) = (&question.session, question.number);
    let what = question.in_words();
    let (why, how, next) = match (&question.decided, &question.withdrawn) {
        (Some(decided), _) => {
            let next = match (question.untold(), decided.decision.name()) {
                (Some(_), decision) if view.work().is_none() => format!(
                    "`orchestra session answer {id} --question {number} --{decision}` goes on with it"
                ),
                _ => format!("`orchestra session attach {id}` shows what the agent does now"),
            };
            ("it is decided already", decided_in_words(decided), next)
        }
        (None, Some(withdrawn)) => (
            "its question was withdrawn",
            format!("withdrawn at {:.0}: {}", withdrawn.at, withdrawn.reason),
            format!("`orchestra session iterate {id}` lets it ask again"),
        ),
        (None, None) => return not_open(view, number),
    };
    EngineError::WrongState {
        session: id.clone(),
        status: view.status,
        why,
        way_out: format!("question {number} (to {what}) was {how}; {next}"),
    }
}

fn decided_in_words(decided: &Decided) -> String {
    let verb = match decided.decision {
        Decision::Allow => "allowed",
        Decision::Reject => "rejected",
    };
    let words = decided.reason.as_deref();
    let words = words.map_or_else(String::new, |words| format!(" with the words \"{words}\""));
    format!("{verb} at {:.0}{words}", decided.at)
}

/// The iteration whose agent waits for a decision: it runs, or its turn ended with that question.
fn asking_iteration(view: &SessionView) -> Option<Iteration> {
    let waits = view.status == SessionStatus::AwaitingInput;
    let asks = |iteration: &&Iteration| {
        let ended = Progress::Finished(Outcome::AwaitingInput);
        waits && (!iteration.progress.is_finished() || iteration.progress == ended)
    };
    view.iteration.as_ref().filter(asks).cloned()
}

fn nothing_asked(view: &SessionView) -> EngineError {
    let id = &view.session.id;
    EngineError::WrongState {
        session: id.clone(),
        status: view.status,
        why: "it waits for no permission",
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
    let untold = questions.iter().filter(|it| it.untold().is_some());
    let mut lines: Vec<String> = untold.filter_map(decision_in_words).collect();
    lines.push("Go on with the task.".to_owned());
    lines.join("\n")
}

/// What was decided while a turn ran, or after it and never told; the rest stands in the words of the next turn.
pub(crate) fn decisions_in_turn(questions: &[PermissionQuestion]) -> Vec<String> {
    let stands_nowhere =
        |question: &&PermissionQuestion| question.request.is_some() || question.untold().is_some();
    let decided = questions.iter().filter(stands_nowhere);
    decided.filter_map(decision_in_words).collect()
}

fn decision_in_words(question: &PermissionQuestion) -> Option<String> {
    let decided = question.decided.as_ref()?;
    let verb = match decided.decision {
        Decision::Allow => "allowed you to",
        Decision::Reject => "does not allow you to",
    };
    let words = decided.reason.as_deref();
    let words = words.map_or_else(String::new, |words| format!(" {words}"));
    let what = question.in_words();
    Some(format!("The operator {verb} {what}.{words}"))
}
