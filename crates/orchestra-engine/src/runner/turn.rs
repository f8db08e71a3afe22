//! One turn of the agent: start it, read what it says, enforce limits, say how it ended.

mod asked;
mod unredacted;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use orchestra_agents::{Agent, Decoder, TurnRequest};
use orchestra_core::status::Outcome;
use orchestra_core::{AgentEvent, FailureCause, PermissionPolicy, Role};
use orchestra_git::Worktree;
use orchestra_process::{
    Bounds, Door, Ended, Exceeded, Exit, Marker, OnLoss, ProcessEvent, Supervised, TreeLimit,
    supervise_within,
};
use orchestra_store::{Control, ControlTarget};

use asked::Asked;
use unredacted::Unredacted;

use super::IterationRun;
use super::budget::BudgetWatch;
use super::conversation::Conversation;
use super::limits::LimitWatch;
use super::provider::Admitted;
use super::record::Recorder;
use super::reported::Reported;
use super::runs_script;
use crate::EngineError;
use crate::agent::ReadyAgent;
use crate::agent_probe::BEFORE_WORK;
use crate::controls::ControlWatch;
use crate::output::{Line, OutputTap};
use crate::permissions::Hook;
use crate::places::OutputFiles;
use crate::runtime::wished_mode;
use crate::sandbox::HeldTurn;

const LOOK: Duration = Duration::from_millis(50);
const NOT_KNOWN_TO_ASK: &str =
    "what this agent does without asking is not held up by its permissions:";

/// How a turn ended, and what it reported.
#[derive(Debug)]
pub(super) struct TurnEnd {
    pub(super) outcome: Outcome,
    pub(super) message: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) reported: Reported,
    /// Lines of output of the whole iteration; the end of an attempt counts as one.
    pub(super) lines: u64,
    /// Bytes of output of the whole iteration.
    pub(super) heard: u64,
    /// Whether a model said anything.
    pub(super) has_answered: bool,
    /// What is left of what let it run.
    pub(super) admitted: Admitted,
}

/// A turn while it goes on.
struct Turn<'a> {
    run: &'a IterationRun<'a>,
    recorder: Recorder<'a>,
    conversation: Conversation<'a>,
    lines: u64,
    heard: u64,
    admitted: Admitted,
    has_answered: bool,
    reported: Reported,
    needs_login: bool,
    stopped: Option<Ending>,
    asked: Asked,
    unredacted: Option<Unredacted>,
    budget: Option<BudgetWatch>,
    /// What was used beyond what is allowed, in words.
    overspent: Option<String>,
}

/// Why the turn is being ended by us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    User,
    Limit(FailureCause),
    AfterResult,
}

impl IterationRun<'_> {
    /// Runs the agent once.
    pub(super) fn run_turn(
        &self,
        worktree: &Worktree,
        prompt: &str,
        admitted: Admitted,
        held: Option<&HeldTurn>,
    ) -> Result<TurnEnd, EngineError> {
        let engine = self.engine;
        let mut ready = ReadyAgent::find(engine, &self.session.agent)?;
        ready
            .environment
            .extend(engine.own_variables(&self.session)?);
        let files = engine.output_files(&self.session.id, self.iteration.number)?;
        let model = engine.model_of(&self.session);
        let features = ready.features(engine, BEFORE_WORK);
        engine.require_obedience(&self.session, &ready.agent, &features)?;
        let permissions = engine.permissions_of(&self.session);
        let door = held.and_then(|held| held.door.as_ref());
        let hook = self.write_hook(&ready.agent, &files, door.map(Door::path))?;
        let prepared = engine.prepare_equipment(&self.session, &ready.agent, &features, &files)?;
        let turn = ready.agent.turn(&TurnRequest {
            program: &ready.program,
            features: &features,
            worktree: worktree.path(),
            prompt,
            thread: self.session.thread.as_deref(),
            model: model.as_deref(),
            mode: wished_mode(&self.session),
            environment: &ready.environment,
            log_file: &files.agent_log,
            permissions,
            settings_file: hook.as_ref().map(Hook::settings),
            spent: self.spent_before()?,
            equipment: prepared.equipment(),
        });
        let open = |path| {
            OutputTap::open(path, &engine.redactor)
                .map_err(|source| EngineError::io("open the output file", source))
        };
        let (stdout, stderr) = (open(&files.stdout)?, open(&files.stderr)?);
        let marker = engine.marker(&self.session.id, &self.iteration.number.to_string())?;
        let reported = Reported {
            thread: self.session.thread.clone(),
            counting: engine.counting(&self.session, self.iteration.number)?,
            model,
            ..self.attempts.reported.clone()
        };
        let budget = self.watch_budget(&ready)?;
        let agent = self.start(&turn.command, held, &marker)?;
        let mut turn = Turn::new(self, turn.decoder, reported, admitted);
        if ready.agent.asks_in_output() {
            turn.unredacted = Some(Unredacted::new(ready.agent.reader()));
        }
        turn.budget = budget;
        if permissions != PermissionPolicy::Allow && !ready.agent.is_known_to_ask() {
            let text = format!("{NOT_KNOWN_TO_ASK} `{permissions}`");
            turn.recorder.add(None, AgentEvent::Diagnostic { text });
        }
        let held_notes = held.map(|held| held.notes.as_slice()).unwrap_or_default();
        for text in prepared.notes.iter().chain(held_notes) {
            let text = text.clone();
            turn.recorder.add(None, AgentEvent::Diagnostic { text });
        }
        if !ready.agent.tells_prompt() {
            let (role, text) = (Role::User, prompt.to_owned());
            let asked = engine.safe_to_keep(AgentEvent::Message { role, text });
            turn.recorder.add(None, asked);
        }
        let follow = || turn.follow(agent, stdout, stderr);
        let (id, number) = (&self.session.id, self.iteration.number);
        let mut end = match door {
            Some(door) => door.while_open(|said| engine.answer_at_door(id, number, said), follow),
            None => follow(),
        };
        if let Some(thread) = &end.reported.thread {
            end.reported.model = ready.recorded_model(thread).or(end.reported.model);
        }
        engine.clean_agent_log(&files);
        Ok(end)
    }

    /// The settings that make the agent ask before it uses a tool, where that is how it asks.
    fn write_hook<'f>(
        &self,
        agent: &Agent,
        files: &'f OutputFiles,
        door: Option<&Path>,
    ) -> Result<Option<Hook<'f>>, EngineError> {
        if self.engine.permissions_of(&self.session) == PermissionPolicy::Allow {
            return Ok(None);
        }
        let Some(settings) = agent.asking_settings(&files.hook) else {
            return Ok(None);
        };
        let (session, number) = (&self.session.id, self.iteration.number);
        let hook = self
            .engine
            .write_hook(session, number, files, &settings, door)?;
        Ok(Some(hook))
    }

    fn start(
        &self,
        spec: &orchestra_process::CommandSpec,
        held: Option<&HeldTurn>,
        marker: &Marker,
    ) -> Result<Supervised, EngineError> {
        let _span = tracing::info_span!("agent", session = %self.session.id, iteration = %self.iteration.number).entered();
        let bounds = Bounds {
            limits: self.engine.resource_limits(),
            sandbox: held.map(|held| held.sandbox.clone()),
        };
        let guardian = self.engine.guardian();
        let told = held.map(|_| HeldTurn::VARIABLES);
        let spec = spec.clone().envs(told.into_iter().flatten());
        let agent = supervise_within(&guardian, &spec, &bounds, marker, OnLoss::End)?;
        tracing::info!(pid = agent.pid(), "started");
        Ok(agent)
    }
}

impl<'a> Turn<'a> {
    fn new(
        run: &'a IterationRun<'a>,
        decoder: Box<dyn Decoder>,
        reported: Reported,
        admitted: Admitted,
    ) -> Self {
        let recorder = Recorder::new(run.engine, &run.session.id, run.iteration.number);
        Self {
            run,
            recorder,
            conversation: Conversation::new(run.engine, decoder),
            // The output file has those of earlier attempts, too.
            lines: run.attempts.lines,
            heard: run.attempts.heard,
            admitted,
            has_answered: false,
            reported,
            needs_login: false,
            stopped: None,
            asked: Asked::default(),
            unredacted: None,
            budget: None,
            overspent: None,
        }
    }

    fn follow(
        mut self,
        mut agent: Supervised,
        mut stdout: OutputTap,
        mut stderr: OutputTap,
    ) -> TurnEnd {
        let mut limits = LimitWatch::new(self.run);
        let mut controls = ControlWatch::new(
            self.run.engine,
            ControlTarget::Iteration(self.run.iteration.key),
        );
        let ended = loop {
            let wait = self.recorder.due_in().unwrap_or(LOOK).min(LOOK);
            match agent.next(wait) {
                Some(ProcessEvent::Stdout(chunk)) => {
                    limits.heard(chunk.len());
                    self.take_stdout(&mut stdout, &chunk);
                }
                Some(ProcessEvent::Stderr(chunk)) => {
                    limits.heard(chunk.len());
                    self.take_stderr(&mut stderr, &chunk);
                }
                Some(ProcessEvent::Exited(ended)) => break ended,
                None => {}
            }
            self.pass_on_decisions(&mut limits);
            self.conversation.reply(&mut agent);
            self.recorder.write_if_due();
            self.obey(&mut agent, controls.next());
            self.enforce(&mut agent, &mut limits);
            self.conversation.signal_if_due(&agent, &mut limits);
            self.admitted.first.take_if(|first| first.is_over());
        };
        self.heard = limits.heard_bytes();
        self.end(ended, &mut stdout, &mut stderr)
    }

    fn take_stdout(&mut self, tap: &mut OutputTap, chunk: &[u8]) {
        if let Some(unredacted) = &mut self.unredacted {
            unredacted.hear(chunk);
        }
        let written = tap.push(chunk, &mut |line| self.line(&line));
        self.note_unwritten(written);
    }

    fn take_stderr(&mut self, tap: &mut OutputTap, chunk: &[u8]) {
        let written = tap.push(chunk, &mut |line| self.diagnostic(&line));
        self.note_unwritten(written);
    }

    fn note_unwritten(&mut self, written: std::io::Result<()>) {
        if let Err(error) = written {
            tracing::error!(%error, "cannot write the output file");
            self.stopped
                .get_or_insert(Ending::Limit(FailureCause::Engine));
        }
    }

    fn line(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        self.lines += 1;
        let events = self.conversation.line(line);
        self.take_in(events);
        if self.needs_login {
            // What follows is a login link, which is a secret.
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Holds what was used so far against the budget.
    fn count(&mut self) {
        let Some(budget) = &mut self.budget else {
            return;
        };
        self.overspent = self.overspent.take().or(budget.exceeded(&self.reported));
    }

    fn take_in(&mut self, events: Vec<AgentEvent>) {
        for event in events {
            self.learn(&event);
            if matches!(event, AgentEvent::Usage { .. }) {
                self.count();
            }
            let event = self.run.engine.safe_to_keep(event);
            let asked = matches!(event, AgentEvent::PermissionAsked { .. }).then(|| event.clone());
            self.recorder.add(Some(self.lines), event);
            if let Some(AgentEvent::PermissionAsked {
                id,
                tool_use,
                title,
            }) = asked
            {
                self.weigh(&id, &tool_use, title.as_deref());
            }
        }
    }

    fn learn(&mut self, event: &AgentEvent) {
        self.reported.learn(event);
        if !self.has_answered && is_answer(event) {
            self.has_answered = true;
            self.let_others_follow();
        }
        self.needs_login |= matches!(
            event,
            AgentEvent::Failed {
                cause: FailureCause::NotLoggedIn,
                ..
            }
        );
    }

    /// The provider answers again.
    fn let_others_follow(&mut self) {
        if let Some(first) = self.admitted.first.take() {
            self.run.engine.lift_pause(&self.run.session.agent);
            drop(first);
        }
    }

    fn diagnostic(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        if let Some(event) = self.conversation.complaint(line) {
            self.recorder.add(None, event);
        }
        ControlFlow::Continue(())
    }

    fn obey(&mut self, agent: &mut Supervised, control: Option<Control>) {
        let Some(control) = control else { return };
        self.stopped = Some(Ending::User);
        match control {
            Control::Stop => {
                self.recorder.say("Stopping the agent.");
                self.conversation.ask_to_end(agent);
            }
            Control::Kill => {
                self.recorder.say("Ending the agent at once.");
                self.conversation.kill(agent);
            }
        }
    }

    fn enforce(&mut self, agent: &mut Supervised, limits: &mut LimitWatch) {
        if self
            .stopped
            .is_some_and(|ending| ending != Ending::Limit(FailureCause::Engine))
            || limits.acted
        {
            return;
        }
        let ending = if self.needs_login {
            Some(Ending::Limit(FailureCause::NotLoggedIn))
        } else if self.overspent.is_some() && !self.conversation.decoder.is_over() {
            Some(Ending::Limit(FailureCause::BudgetSpent))
        } else if self.conversation.decoder.is_over() {
            let is_late = limits.is_late_after_result(self.conversation.decoder.stay());
            is_late.then_some(Ending::AfterResult)
        } else {
            self.stopped
                .or_else(|| limits.exceeded().map(Ending::Limit))
        };
        if let Some(ending) = ending {
            limits.acted = true;
            self.stopped = Some(ending);
            if let (Some(overspent), Ending::Limit(FailureCause::BudgetSpent)) =
                (&self.overspent, ending)
            {
                self.recorder
                    .say(format!("Stopping the agent: {overspent}."));
            }
            match self.needs_login {
                true => self.conversation.kill(agent),
                false => self.conversation.ask_to_end(agent),
            }
        }
    }

    fn end(mut self, ended: Ended, stdout: &mut OutputTap, stderr: &mut OutputTap) -> TurnEnd {
        let written = stdout.finish(&mut |line| self.line(&line));
        self.note_unwritten(written);
        // What only the end tells has a line of its own, for whoever reads the file again.
        self.lines += 1;
        let rest = self.conversation.decoder.rest();
        self.take_in(rest);
        let written = stderr.finish(&mut |line| self.diagnostic(&line));
        self.note_unwritten(written);
        self.withdraw_questions();
        self.note_exceeded(ended.exceeded);
        let said = self.conversation.finish(ended.exit);
        let (outcome, message) = self.outcome(&said, ended.exit);
        if matches!(outcome, Outcome::Succeeded | Outcome::AwaitingInput) {
            self.let_others_follow();
        }
        let (said, outcome) = match self.question_for_later() {
            // Whatever else it says: it could not do what it wanted.
            Some(question) if runs_script(outcome) => (
                AgentEvent::AwaitingInput { question },
                Outcome::AwaitingInput,
            ),
            _ => (said, outcome),
        };
        if outcome != Outcome::AwaitingInput {
            self.withdraw_questions_for_later();
        }
        if ended.swept > 0 {
            self.recorder.say(format!(
                "Ended {} process(es) the agent had left running.",
                ended.swept
            ));
        }
        let summary = match &said {
            AgentEvent::Finished { summary } => summary.clone(),
            AgentEvent::AwaitingInput { question } => Some(question.clone()),
            _ => None,
        };
        self.recorder.write();
        if self.recorder.has_given_up() {
            self.run
                .engine
                .ingest_output(&self.run.session, &self.run.iteration);
        }
        self.recorder
            .add(None, said_or_ours(said, outcome, message.as_deref()));
        self.recorder.write();
        TurnEnd {
            outcome,
            message,
            summary,
            reported: self.reported,
            lines: self.lines,
            heard: self.heard,
            has_answered: self.has_answered,
            admitted: self.admitted,
        }
    }

    /// The guardian ends an agent that takes more than the machine can spare.
    fn note_exceeded(&mut self, exceeded: Option<Exceeded>) {
        let Some(exceeded) = exceeded else { return };
        let cause = match exceeded.limit {
            TreeLimit::Memory => FailureCause::MemoryLimit,
            TreeLimit::Processes => FailureCause::ProcessLimit,
        };
        self.stopped = Some(Ending::Limit(cause));
        self.overspent = Some(format!("it {exceeded}"));
    }

    /// What we did outranks what the agent says about it; otherwise the agent's own word counts.
    fn outcome(&self, said: &AgentEvent, exit: Exit) -> (Outcome, Option<String>) {
        match self.stopped {
            Some(Ending::User) => {
                return (Outcome::Stopped, Some("stopped by the user".to_owned()));
            }
            Some(Ending::Limit(cause)) => {
                let limit = self.run.time_limit().unwrap_or_default();
                let message = self.run.engine.limit_message(cause, limit);
                let message = self.overspent.clone().unwrap_or(message);
                return (Outcome::Failed(cause), Some(message));
            }
            Some(Ending::AfterResult) | None => {}
        }
        match said {
            AgentEvent::AwaitingInput { .. } => (Outcome::AwaitingInput, None),
            AgentEvent::Finished { .. } => (Outcome::Succeeded, None),
            AgentEvent::Failed {
                cause: FailureCause::Overloaded,
                message,
            } => (
                Outcome::Blocked(FailureCause::Overloaded),
                Some(message.clone()),
            ),
            AgentEvent::Failed { cause, message } => {
                (Outcome::Failed(*cause), Some(message.clone()))
            }
            _ => (
                Outcome::Failed(FailureCause::NoResult),
                Some(format!("it ended with {exit}")),
            ),
        }
    }
}

fn said_or_ours(said: AgentEvent, outcome: Outcome, message: Option<&str>) -> AgentEvent {
    match (outcome, message) {
        (Outcome::Stopped, Some(message)) => AgentEvent::Message {
            role: Role::Engine,
            text: message.to_owned(),
        },
        (Outcome::Failed(_), Some(message)) => AgentEvent::Failed {
            cause: outcome.cause().unwrap_or(FailureCause::Other),
            message: message.to_owned(),
        },
        _ => said,
    }
}

/// Whether a model said something, so that its provider is there.
fn is_answer(event: &AgentEvent) -> bool {
    matches!(
        event,
        AgentEvent::Message {
            role: Role::Agent | Role::Subagent,
            ..
        } | AgentEvent::Thinking { .. }
            | AgentEvent::ToolCall { .. }
            | AgentEvent::Usage { .. }
    )
}
