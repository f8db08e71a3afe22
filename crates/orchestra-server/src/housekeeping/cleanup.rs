//! Cleanups on the wire.

use orchestra_api::{CleanupAnswer, ErrorBody, SessionAnswer};
use orchestra_core::SessionId;
use orchestra_engine::{BranchEnd, Cleaned, CleanupPlan, Engine, EngineError, Obstacle};

use crate::wire;

/// What a cleanup would do.
///
/// # Errors
/// If the store cannot be read.
pub fn foretold_cleanup(engine: &Engine, plan: &CleanupPlan) -> Result<CleanupAnswer, EngineError> {
    Ok(CleanupAnswer {
        dry_run: true,
        branch_deleted: plan.deletes_branch_at.is_some(),
        ..answer(engine, plan)?
    })
}

/// What a cleanup did.
///
/// # Errors
/// If the store cannot be read.
pub fn cleaned(engine: &Engine, done: &Cleaned) -> Result<CleanupAnswer, EngineError> {
    Ok(CleanupAnswer {
        branch_deleted: done.branch == BranchEnd::Deleted,
        trash: Some(done.entry.to_string()),
        ..answer(engine, &done.plan)?
    })
}

fn answer(engine: &Engine, plan: &CleanupPlan) -> Result<CleanupAnswer, EngineError> {
    let SessionAnswer { seq, session } = wire::answer(engine, &plan.view.session.id)?;
    let databases = plan.databases.iter();
    Ok(CleanupAnswer {
        seq,
        session,
        dry_run: false,
        directory: plan.directory.clone(),
        landed: plan.landed.clone(),
        uncommitted: plan.uncommitted,
        overridden: plan.overridden.clone(),
        branch_deleted: false,
        servers: plan.servers.iter().map(|run| run.script.clone()).collect(),
        databases: databases
            .map(|(database, _)| database.clone().into())
            .collect(),
        trash: None,
    })
}

/// What the user agrees to along with a cleanup.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CleanupConsent {
    /// What runs is stopped first.
    pub(crate) stop: bool,
    /// Commands of the repository's own files may run.
    pub(crate) commands: bool,
}

/// What a cleanup would do, and everything that stands in its way.
pub(crate) fn cleanup_plan(
    engine: &Engine,
    plan: &CleanupPlan,
    given: CleanupConsent,
) -> Result<orchestra_api::CleanupPlan, EngineError> {
    let id = &plan.view.session.id;
    let runs = plan.view.work().is_some();
    let is_done = plan.is_done_before();
    let counts = |it: &&Obstacle| !(given.commands && matches!(it, Obstacle::NotAllowed { .. }));
    let obstacles = plan.obstacles.iter().filter(|_| !is_done).filter(counts);
    let busy = (runs && !given.stop).then(|| ErrorBody {
        code: "session.busy".to_owned(),
        message: format!("the session {id} is {}", plan.view.status),
        hint: Some("let it be stopped first; its work is kept".to_owned()),
    });
    let obstacles = busy.into_iter().chain(obstacles.map(|it| body(id, it)));
    let obstacles: Vec<_> = obstacles.collect();
    let teardown = plan.teardown.clone();
    let teardown = wire::project_commands(engine, teardown.as_slice());
    Ok(orchestra_api::CleanupPlan {
        cleanup: foretold_cleanup(engine, plan)?,
        is_possible: obstacles.is_empty(),
        is_done,
        stops_work: runs && given.stop,
        teardown: teardown.into_iter().next(),
        drops_for_good: plan.drops_for_good(),
        obstacles,
    })
}

fn body(id: &SessionId, obstacle: &Obstacle) -> ErrorBody {
    ErrorBody {
        code: obstacle.code().to_owned(),
        message: obstacle.to_string(),
        hint: Some(obstacle.hint(id)),
    }
}
