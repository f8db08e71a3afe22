//! Iterations: start, stop, answer, decide, resume; and the queue.

use axum::extract::State;
use orchestra_api::requests::{AnswerQuestion, DecidePermission, StartIteration, StopWork};
use orchestra_api::{
    Discarded, IterationAnswer, IterationList, QueueList, SessionAnswer, WorkAnswer,
};
use orchestra_core::IterationNumber;
use orchestra_engine::{
    AfterDecision, Control, Decide, Reach, Resumed, SetupNeed, ThreadChoice, Work,
};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, accepted, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::extract::{Body, Path};
use crate::spoken::for_agent;
use crate::wire;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_iterations, start_iteration))
        .routes(routes!(get_iteration))
        .routes(routes!(stop_session))
        .routes(routes!(answer_session))
        .routes(routes!(decide_permission))
        .routes(routes!(resume_session))
        .routes(routes!(discard_changes))
        .routes(routes!(undo_discard))
        .routes(routes!(list_queue))
}

/// List the iterations of a session, oldest first
#[utoipa::path(
    get, path = "/sessions/{session}/iterations", tag = "iterations",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = IterationList), Failures),
)]
async fn list_iterations(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<IterationList> {
    let look = desk.look_at_session(session, |engine, view| {
        let seq = engine.last_seq()?;
        let iterations = engine.iterations(&view.session.id)?;
        Ok(IterationList {
            seq,
            session_id: view.session.id.clone(),
            iterations: iterations.iter().map(Into::into).collect(),
        })
    });
    answer(look.await?)
}

/// Look at an iteration
#[utoipa::path(
    get, path = "/sessions/{session}/iterations/{iteration}", tag = "iterations",
    params(
        ("session" = String, Path, description = "Id, unique prefix or name"),
        ("iteration" = u32, Path, description = "Its number"),
    ),
    responses((status = 200, body = IterationAnswer), Failures),
)]
async fn get_iteration(
    State(desk): State<Desk>,
    Path((session, number)): Path<(String, u32)>,
) -> Answer<IterationAnswer> {
    let look = desk.look_at_session(session, move |engine, view| {
        let found = engine.iteration(&view.session.id, IterationNumber(number))?;
        Ok(wire::iteration(engine, &found)?)
    });
    answer(look.await?)
}

/// Run the agent once: run, commit, script
///
/// A text that begins with a slash is a slash command of the user or the repository; those that are built in are refused.
/// It goes on in a process of its own, whatever becomes of this server; the event stream tells of it.
#[utoipa::path(
    post, path = "/sessions/{session}/iterations", tag = "iterations", request_body = StartIteration,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = IterationAnswer), Failures),
)]
async fn start_iteration(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<StartIteration>,
) -> Answer<IterationAnswer> {
    let act = desk.act_in_session(session, move |engine, view| {
        let root = Some(view.repository.root.as_path());
        let text = request.text.as_deref();
        let order = orchestra_engine::StartIteration {
            input: text.map(|text| for_agent(engine, text, root)).transpose()?,
            no_commit: request.no_commit,
            setup: SetupNeed::waived_if(request.without_setup),
            thread: match request.new_thread {
                true => ThreadChoice::New,
                false => ThreadChoice::Continued,
            },
            answers: None,
        };
        let started = engine.start_iteration(&view.session.id, &order)?;
        Ok(wire::iteration(engine, &started)?)
    });
    accepted(act.await?)
}

/// Stop what runs in a session; the work is kept
///
/// Answers once it was asked to stop; the event stream tells when it is over.
#[utoipa::path(
    post, path = "/sessions/{session}/stop", tag = "iterations", request_body = StopWork,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = WorkAnswer), Failures),
)]
async fn stop_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<StopWork>,
) -> Answer<WorkAnswer> {
    let act = desk.look_at_session(session, move |engine, view| {
        let control = match request.now {
            true => Control::Kill,
            false => Control::Stop,
        };
        let id = &view.session.id;
        let (iteration, script_run) = match engine.stop(id, control)? {
            Work::Iteration(asked) => (Some(engine.iteration(id, asked.number)?), None),
            Work::Script(run) => (None, Some(engine.script_run(run.key)?)),
        };
        let SessionAnswer { seq, session } = wire::answer(engine, id)?;
        Ok(WorkAnswer {
            seq,
            session,
            iteration: iteration.as_ref().map(Into::into),
            script_run: script_run.map(|run| wire::script_run(engine, &run)),
        })
    });
    accepted(act.await?)
}

/// Answer the agent's question
#[utoipa::path(
    post, path = "/sessions/{session}/answer", tag = "iterations", request_body = AnswerQuestion,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = IterationAnswer), Failures),
)]
async fn answer_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<AnswerQuestion>,
) -> Answer<IterationAnswer> {
    let act = desk.act_in_session(session, move |engine, view| {
        engine.require_question(view)?;
        let text = for_agent(engine, &request.text, Some(&view.repository.root))?;
        let started = engine.answer(&view.session.id, &text)?;
        Ok(wire::iteration(engine, &started)?)
    });
    accepted(act.await?)
}

/// Decide what the agent may do
#[utoipa::path(
    post, path = "/sessions/{session}/permissions", tag = "iterations", request_body = DecidePermission,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = WorkAnswer), Failures),
)]
async fn decide_permission(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<DecidePermission>,
) -> Answer<WorkAnswer> {
    let act = desk.act_in_session(session, move |engine, view| {
        let id = &view.session.id;
        let decide = Decide {
            decision: request.decision,
            reach: Reach::always_if(request.always),
            question: request.question,
            words: request.reason,
        };
        let iteration = match engine.decide_permission(id, &decide)? {
            AfterDecision::NextTurn(iteration) | AfterDecision::GoesOn(iteration) => {
                Some(*iteration)
            }
            AfterDecision::StillAsks(_) => None,
        };
        let SessionAnswer { seq, session } = wire::answer(engine, id)?;
        Ok(WorkAnswer {
            seq,
            session,
            iteration: iteration.as_ref().map(Into::into),
            script_run: None,
        })
    });
    accepted(act.await?)
}

/// Go on after an interruption, or try now what waits for its provider
#[utoipa::path(
    post, path = "/sessions/{session}/resume", tag = "iterations",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = IterationAnswer), Failures),
)]
async fn resume_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<IterationAnswer> {
    let act = desk.act_in_session(session, |engine, view| {
        let (Resumed::Started(iteration) | Resumed::GoesOn(iteration)) =
            engine.resume(&view.session.id)?;
        Ok(wire::iteration(engine, &iteration)?)
    });
    accepted(act.await?)
}

/// Throw away what an interrupted run left uncommitted
#[utoipa::path(
    post, path = "/sessions/{session}/discard", tag = "iterations",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = Discarded), Failures),
)]
async fn discard_changes(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<Discarded> {
    let act = desk.act_in_session(session, |engine, view| {
        let done = engine.discard(&view.session.id)?;
        let SessionAnswer { seq, session } = wire::answer(engine, &view.session.id)?;
        Ok(Discarded {
            seq,
            session,
            files: done.files,
            patch: done.patch,
        })
    });
    answer(act.await?)
}

/// Bring back what was discarded last
#[utoipa::path(
    post, path = "/sessions/{session}/undo-discard", tag = "iterations",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = SessionAnswer), Failures),
)]
async fn undo_discard(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<SessionAnswer> {
    let act = desk.act_in_session(session, |engine, view| {
        engine.undo_discard(&view.session.id)?;
        Ok(wire::answer(engine, &view.session.id)?)
    });
    answer(act.await?)
}

/// What waits or runs: iterations and scripts
#[utoipa::path(get, path = "/queue", tag = "iterations", responses((status = 200, body = QueueList), Failures))]
async fn list_queue(State(desk): State<Desk>) -> Answer<QueueList> {
    let look = desk.look(|engine| {
        let seq = engine.last_seq()?;
        let mut queue = Vec::new();
        for work in engine.queue()? {
            let view = engine.session(work.session())?;
            queue.push(wire::work(engine, &view, &work));
        }
        Ok(QueueList { seq, queue })
    });
    answer(look.await?)
}
