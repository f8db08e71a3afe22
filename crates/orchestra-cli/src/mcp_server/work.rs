//! Tools that let agents work: create, iterate, answer, stop.

use std::path::PathBuf;
use std::time::Duration;

use orchestra_api::{Created, SessionAnswer};
use orchestra_config::quantity::parse_duration;
use orchestra_core::{Budget, RuntimeWishes, SessionId, SessionName};
use orchestra_engine::{
    Act, Control, CreateSession, EngineError, StartIteration, ThreadChoice, Work,
};
use orchestra_server::{base_note, wire};
use serde::Deserialize;

use super::call::{Answer, Answered, Call};
use super::tool::{Effect, Kind, SESSION, Tool, optional, required};
use super::watching::{branch, until_at_rest};
use crate::context::Context;
use crate::error::CliError;

/// How long a set-up may take before an agent starts.
const SETUP: Duration = Duration::from_secs(3_600);
/// How long a runner may take to end beyond what it gives the agent.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "session_create",
        about: "Makes a session: a branch, a worktree and a prompt, and starts its agent in the background. Counts against \
                the sessions and the budget granted to you. If warnings say that the agent was not started, the session \
                is there all the same.",
        effect: Effect::Changes,
        parameters: &[
            required(
                "name",
                Kind::Text,
                "The session's name, unique within the repository",
            ),
            required("prompt", Kind::Text, "What the agent should do"),
            optional(
                "repository",
                Kind::Text,
                "A directory in a granted repository; the first one if absent",
            ),
            optional(
                "base",
                Kind::Text,
                "The branch to start from and land on; the repository's default if absent",
            ),
            optional(
                "agent",
                Kind::Text,
                "The agent; the user's default if absent",
            ),
            optional("model", Kind::Text, "The model, as the agent names it"),
            optional("mode", Kind::Text, "The agent's mode, where it has some"),
            optional("constraints", Kind::Text, "What the agent must keep to"),
            optional("notes", Kind::Text, "What else the agent should know"),
            optional("issue", Kind::Text, "The issue it belongs to"),
            optional(
                "budget",
                Kind::Text,
                "What it may use, such as 2.50 (dollars) or 500000tokens; an even share of what is left if absent and \
                 you have a budget",
            ),
            optional(
                "timeout",
                Kind::Text,
                "How long one iteration may take, such as 30m",
            ),
            optional(
                "run",
                Kind::Flag,
                "Whether to start the agent; true if absent",
            ),
        ],
        run: create,
    },
    Tool {
        name: "session_iterate",
        about: "Runs the agent of a session once more, in the background, in the same conversation.",
        effect: Effect::Changes,
        parameters: &[
            SESSION,
            optional("notes", Kind::Text, "What the agent should know or do now"),
            optional(
                "new_thread",
                Kind::Flag,
                "Begin a new conversation; the agent is told what happened before",
            ),
        ],
        run: iterate,
    },
    Tool {
        name: "session_answer",
        about: "Answers the question of a session that is awaiting_input, in words. What its agent may use is decided by \
                the user alone.",
        effect: Effect::Changes,
        parameters: &[SESSION, required("text", Kind::Text, "The answer")],
        run: answer,
    },
    Tool {
        name: "session_stop",
        about: "Stops what runs in a session; its work is kept.",
        effect: Effect::Changes,
        parameters: &[SESSION],
        run: stop,
    },
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    name: String,
    prompt: String,
    repository: Option<PathBuf>,
    base: Option<String>,
    agent: Option<String>,
    model: Option<String>,
    mode: Option<String>,
    constraints: Option<String>,
    notes: Option<String>,
    issue: Option<String>,
    budget: Option<String>,
    timeout: Option<String>,
    run: Option<bool>,
}

fn create(call: &Call) -> Answered {
    let given: Create = call.given()?;
    let wanted = wanted(call, &given)?;
    let context = call.desk.act_in(&wanted.repository)?;
    context.sweep();
    let runs = given.run.unwrap_or(true);
    let made = make(&context, wanted, runs);
    // One that was made says itself who made it, from its first moment on.
    let (id, refused) = match &made {
        Ok(created) => (Some(&created.view.session.id), None),
        Err(error) => (None, Some(error.code())),
    };
    context.engine.record_call(id, call.tool.name, refused)?;
    let mut created = made?;
    let id = &created.view.session.id;
    if runs && let Err(error) = start(call, &context, id, &StartIteration::default()) {
        let why = format!("the agent was not started: {}", error.message);
        created.warnings.push(why);
    }
    let SessionAnswer { seq, session } = wire::answer(&context.engine, id)?;
    Answer::of(&Created {
        seq,
        session,
        base_note: base_note::note(&created.base),
        warnings: created.warnings,
    })
}

/// Everything that can be refused before is.
fn make(
    context: &Context,
    wanted: CreateSession,
    runs: bool,
) -> Result<orchestra_engine::Created, EngineError> {
    if runs {
        let environment = wanted.runtime.environment.as_deref();
        context
            .engine
            .check_agent(wanted.agent.as_deref(), environment)?;
        context.engine.check_identity(&wanted.repository)?;
    }
    let budget = context.engine.granted_budget(wanted.runtime.budget)?;
    let runtime = RuntimeWishes {
        budget,
        ..wanted.runtime
    };
    context
        .engine
        .create_session(&CreateSession { runtime, ..wanted })
}

fn wanted(call: &Call, given: &Create) -> Result<CreateSession, CliError> {
    let name: SessionName = given.name.parse().map_err(|error| {
        CliError::usage(format!("{error}"), "take a short name for the session")
    })?;
    let budget: Option<Budget> = match &given.budget {
        None => None,
        Some(text) => Some(text.parse().map_err(|error| {
            CliError::usage(format!("{error}"), "leave it out for what is granted")
        })?),
    };
    let timeout = match &given.timeout {
        None => None,
        Some(text) => Some(parse_duration(text).ok_or_else(|| {
            CliError::usage(format!("`{text}` is no time"), "write it as 90s, 30m or 2h")
        })?),
    };
    Ok(CreateSession {
        repository: call.repository(given.repository.as_deref())?,
        base: given.base.as_deref().map(branch).transpose()?,
        name,
        prompt: given.prompt.clone(),
        notes: given.notes.clone(),
        constraints: given.constraints.clone(),
        issue: given.issue.clone(),
        script: None,
        model: given.model.clone(),
        agent: given.agent.clone(),
        branch: None,
        timeout,
        permissions: None,
        runtime: RuntimeWishes {
            mode: given.mode.clone(),
            budget,
            ..RuntimeWishes::default()
        },
    })
}

/// Starts the agent once the set-up is over.
fn start(
    call: &Call,
    context: &Context,
    id: &SessionId,
    request: &StartIteration,
) -> Result<orchestra_core::Iteration, CliError> {
    if context.engine.session(id)?.running_setup().is_some() {
        until_at_rest(call, context, id, SETUP)?;
    }
    Ok(context.engine.start_iteration(id, request)?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Iterate {
    session: String,
    notes: Option<String>,
    #[serde(default)]
    new_thread: bool,
}

fn iterate(call: &Call) -> Answered {
    let given: Iterate = call.given()?;
    call.act(&given.session, Act::Iterate, |context, view| {
        let request = StartIteration {
            input: given.notes.clone(),
            thread: match given.new_thread {
                true => ThreadChoice::New,
                false => ThreadChoice::Continued,
            },
            ..StartIteration::default()
        };
        let iteration = start(call, context, &view.session.id, &request)?;
        Answer::of(&wire::iteration(&context.engine, &iteration)?)
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reply {
    session: String,
    text: String,
}

fn answer(call: &Call) -> Answered {
    let given: Reply = call.given()?;
    call.act(&given.session, Act::Iterate, |context, view| {
        let iteration = context.engine.answer(&view.session.id, &given.text)?;
        Answer::of(&wire::iteration(&context.engine, &iteration)?)
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stop {
    session: String,
}

fn stop(call: &Call) -> Answered {
    let given: Stop = call.given()?;
    call.act(&given.session, Act::Steer, |context, view| {
        let (engine, id) = (&context.engine, &view.session.id);
        let stopped = engine.stop(id, Control::Stop)?;
        let grace = engine.settings().settings.core.stop_grace;
        engine.wait_until_at_rest(id, Some(grace + PATIENCE))?;
        match stopped {
            Work::Iteration(asked) => {
                let now = engine.iteration(id, asked.number)?;
                Answer::of(&wire::iteration(&context.engine, &now)?)
            }
            Work::Script(run) => {
                let now = engine.script_run(run.key)?;
                Answer::of(&wire::script(&context.engine, &now)?)
            }
        }
    })
}
