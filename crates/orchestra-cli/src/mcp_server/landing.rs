//! Tools on the way to the base: squash, rebase, merge, land.

use orchestra_core::SessionId;
use orchestra_engine::{
    AFTER_MERGE, Act, Consent, LandRequest, LandStep, MergeMode, MergeOrder, MergeRequest,
    RebaseAction, SessionView, SquashOrder,
};
use orchestra_server::landing;
use serde::Deserialize;

use super::call::{Answer, Answered, Call};
use super::tool::{Effect, Kind, SESSION, Tool, optional, required};
use super::watching::branch;
use crate::commands::allowed;
use crate::context::Context;
use crate::error::CliError;

const MODES: &[&str] = &["fitting", "ff_only", "merge_commit", "squash"];

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "session_squash",
        about: "Makes one commit of a session's commits; files stay as they are.",
        effect: Effect::Changes,
        parameters: &[
            SESSION,
            required("message", Kind::Text, "What the commit says"),
            optional("keep_manual", Kind::Flag, "Keep commits that a person made"),
        ],
        run: squash,
    },
    Tool {
        name: "session_rebase",
        about: "Puts a session's commits onto its base. Where one does not fit, the state is conflicted: session_iterate \
                asks its agent to resolve that, then step `continue`, or `abort`.",
        effect: Effect::Changes,
        parameters: &[
            SESSION,
            optional("onto", Kind::Text, "Another branch, which becomes its base"),
            optional(
                "step",
                Kind::Choice(&["continue", "skip", "abort"]),
                "What to do with a rebase that stopped at a conflict",
            ),
        ],
        run: put_onto,
    },
    Tool {
        name: "session_merge",
        about: "Lands one session: its work becomes part of its base, if every required check passes. Nothing is pushed.",
        effect: Effect::Lands,
        parameters: &[
            SESSION,
            optional("mode", Kind::Choice(MODES), "How; fitting if absent"),
            optional(
                "message",
                Kind::Text,
                "The message of the merge commit or the squashed one",
            ),
        ],
        run: merge_one,
    },
    Tool {
        name: "session_land",
        about: "Lands sessions one after another: each is put on top of what landed before, its script runs there, \
                everything is checked, and it is merged. Stops at the first that cannot land. Nothing is pushed.",
        effect: Effect::Lands,
        parameters: &[
            required(
                "sessions",
                Kind::Texts,
                "Ids, unique prefixes or names, all of one repository",
            ),
            optional("mode", Kind::Choice(MODES), "How; fitting if absent"),
        ],
        run: land_several,
    },
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Squash {
    session: String,
    message: String,
    #[serde(default)]
    keep_manual: bool,
}

fn squash(call: &Call) -> Answered {
    let given: Squash = call.given()?;
    call.act(&given.session, Act::Steer, |context, view| {
        let id = &view.session.id;
        let order = SquashOrder {
            message: given.message.clone(),
            keep_manual: given.keep_manual,
        };
        let done = context.engine.squash(id, &order)?;
        Answer::of(&landing::squashed(&context.engine, id, &done)?)
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rebase {
    session: String,
    onto: Option<String>,
    step: Option<Step>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    Continue,
    Skip,
    Abort,
}

fn put_onto(call: &Call) -> Answered {
    let given: Rebase = call.given()?;
    let onto = given.onto.as_deref().map(branch).transpose()?;
    call.act(&given.session, Act::Steer, |context, view| {
        let (engine, id) = (&context.engine, &view.session.id);
        let done = match given.step {
            Some(Step::Continue) => engine.rebase_step(id, RebaseAction::Continue)?,
            Some(Step::Skip) => engine.rebase_step(id, RebaseAction::Skip)?,
            Some(Step::Abort) => engine.rebase_step(id, RebaseAction::Abort)?,
            None => engine.rebase(id, onto.as_ref())?,
        };
        let conflicts = landing::rebase_outcome(engine, id, &done)?;
        Answer::of(&landing::rebased(engine, id, &done, conflicts.as_ref())?)
    })
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Fitting,
    FfOnly,
    MergeCommit,
    Squash,
}

impl Mode {
    const fn merge_mode(self) -> MergeMode {
        match self {
            Self::Fitting => MergeMode::Fitting,
            Self::FfOnly => MergeMode::FastForwardOnly,
            Self::MergeCommit => MergeMode::MergeCommit,
            Self::Squash => MergeMode::Squash,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Merge {
    session: String,
    #[serde(default)]
    mode: Mode,
    message: Option<String>,
}

fn merge_one(call: &Call) -> Answered {
    let given: Merge = call.given()?;
    call.act(&given.session, Act::Land, |context, view| {
        let order = order(context, view, given.mode, given.message.clone())?;
        let mut on_step = |view: &SessionView, step: LandStep<'_>| {
            call.tell(landing::step_in_words(view, step));
        };
        let done = context
            .engine
            .merge_session(&view.session.id, &order, &mut on_step)?;
        let answer = landing::merge_answer(&context.engine, &done)?;
        Answer::with(&answer, answer.error.as_ref())
    })
}

/// Checks are passed over by people only, and so is what a repository's own settings want to run.
fn order(
    context: &Context,
    view: &SessionView,
    mode: Mode,
    message: Option<String>,
) -> Result<MergeOrder, CliError> {
    Ok(MergeOrder {
        merge: MergeRequest {
            mode: mode.merge_mode(),
            message,
            ..MergeRequest::default()
        },
        after_merge: allowed::command(context, &view.repository, AFTER_MERGE, Consent::Missing)?,
        push: false,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Land {
    sessions: Vec<String>,
    #[serde(default)]
    mode: Mode,
}

fn land_several(call: &Call) -> Answered {
    let given: Land = call.given()?;
    let mut found = Vec::new();
    for text in &given.sessions {
        found.push(call.session(text)?);
    }
    // All are asked for before any lands.
    for (there, view) in &found {
        call.require(there, view, Act::Land)?;
    }
    let Some((context, first)) = found.first() else {
        return Err(CliError::usage("no session is named", "name at least one"));
    };
    let ids = found.iter().map(|(_, view)| view.session.id.clone());
    let sessions: Vec<SessionId> = ids.collect();
    let request = LandRequest {
        sessions,
        depends: Vec::new(),
        order: order(context, first, given.mode, None)?,
    };
    let mut on_step = |view: &SessionView, step: LandStep<'_>| {
        call.tell(landing::step_in_words(view, step));
    };
    let rows = context.engine.land(&request, &mut on_step)?;
    let answer = landing::land_answer(&context.engine, &rows)?;
    Answer::with(&answer, answer.error.as_ref())
}
