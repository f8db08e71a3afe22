//! Everything about one session, for a face that shows it in detail.

use std::path::PathBuf;
use std::time::Duration;

use orchestra_api::{Artifact, BudgetUse, FileChange, SessionDetail};
use orchestra_core::{PortLease, ScriptRun, SessionDatabase, SessionId};
use orchestra_engine::{DiffWhat, Engine, EngineError, LeaseListing, PushState, SessionView};

use crate::wire;

/// How long the space may take to be counted; else it is what was counted before.
const COUNTING: Duration = Duration::from_millis(500);

/// What is shown of a session.
pub struct Detail {
    /// The newest event it includes.
    pub seq: u64,
    /// The session.
    pub view: SessionView,
    /// Files that differ from the base, if git could be asked.
    pub changes: Option<Vec<FileChange>>,
    /// Its branch on a remote.
    pub pushed: Option<PushState>,
    /// Ports it has for itself.
    pub ports: Vec<PortLease>,
    /// Databases it has for itself.
    pub databases: Vec<SessionDatabase>,
    /// Whether the approval is of what the session has now.
    pub approval_counts: Option<bool>,
    /// What ran last after it landed.
    pub after_merge: Option<ScriptRun>,
    /// Files that were collected.
    pub artifacts: Vec<Artifact>,
    /// Where they are.
    pub artifacts_folder: PathBuf,
    /// What it may use, and has used.
    pub budget: Option<orchestra_engine::BudgetUse>,
}

/// Asks store, git and disk about a session.
///
/// # Errors
/// If the store cannot be read.
pub fn load(engine: &Engine, found: SessionView) -> Result<Detail, EngineError> {
    let id: SessionId = found.session.id.clone();
    let seq = engine.last_seq()?;
    // A repository that moved or a missing worktree still has a status to show.
    let view = engine.refresh(&id).unwrap_or(found);
    let changes = engine.diff_summary(&id, &DiffWhat::SinceBase).ok();
    let view = counted(engine, engine.with_added_databases(view));
    let LeaseListing {
        ports, databases, ..
    } = engine.leases_on_disk(Some(&id))?;
    let (artifacts, artifacts_folder) = engine.artifacts(&id)?;
    Ok(Detail {
        seq,
        changes: changes.map(|changes| changes.iter().map(wire::file_change).collect()),
        pushed: engine.push_state(&view.session).ok().flatten(),
        ports,
        databases,
        approval_counts: engine.approval_counts(&view.session).ok().flatten(),
        after_merge: engine.after_merge_run(&view.session)?,
        artifacts: wire::artifacts(artifacts, &artifacts_folder),
        artifacts_folder,
        budget: engine.budget_use(&view.session)?,
        view,
    })
}

fn counted(engine: &Engine, view: SessionView) -> SessionView {
    let mut views = [view];
    if let Err(error) = engine.refresh_disk_use(&mut views, COUNTING) {
        tracing::debug!(code = error.code(), %error, "the space was not counted");
    }
    let [view] = views;
    view
}

impl Detail {
    /// The same on the wire.
    #[must_use]
    pub fn answer(self, engine: &Engine) -> SessionDetail {
        let running: Vec<_> = self.view.running_servers().cloned().collect();
        SessionDetail {
            isolation: engine.isolation_of(&self.view.session),
            artifacts: self.artifacts,
            ports: wire::ports(self.ports, &running),
            databases: self.databases.into_iter().map(Into::into).collect(),
            approval: self.view.session.approval.as_ref().map(Into::into),
            approval_counts: self.approval_counts,
            after_merge: self.after_merge.map(|run| wire::script_run(engine, &run)),
            pushed: self.pushed.as_ref().map(wire::push_state),
            seq: self.seq,
            session: wire::session(engine, &self.view),
            changes: self.changes,
            budget: self.budget.map(|used| BudgetUse {
                allowed: used.budget,
                cost: used.cost,
                usage: used.usage,
            }),
        }
    }
}
