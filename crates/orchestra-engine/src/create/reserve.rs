//! Reserving: id, name, branch and directory of a session are written down in one step, and the store's unique columns
//! decide who gets them.

use std::path::{Path, PathBuf};

use orchestra_core::branch::PatternValues;
use orchestra_core::{
    BranchName, BranchPattern, CommitId, EventBody, NewSession, RepositoryId, ScriptRun, Session,
    SessionId, Timestamp,
};
use orchestra_git::{Base, Repository, WorktreeError};
use orchestra_store::{Effect, SessionFilter, StoreError, Tx, Unique};

use super::CreateSession;
use crate::engine::random_bytes;
use crate::lease::Held;
use crate::lookup::{name_taken, require_no_id};
use crate::release::{Wanted, release};
use crate::{Engine, EngineError};

/// A reservation is tried again with another id when chance picked one that is taken.
const ATTEMPTS: u32 = 8;

/// What a session is made of, before it has an id.
pub(super) struct Plan<'a> {
    pub(super) repository: &'a Repository,
    pub(super) request: &'a CreateSession,
    pub(super) base: &'a Base,
    pub(super) agent: &'a str,
    pub(super) prompt: &'a str,
}

/// How branch and folder are called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    ByPattern,
    /// Two names can have one slug, and a slug and a second make a branch: the id tells them apart.
    WithId,
}

/// Where a session works.
struct Place {
    branch: BranchName,
    base_commit: CommitId,
    worktree: PathBuf,
}

/// A session that is written down, and nothing of it made yet.
pub(super) struct Reservation {
    pub(super) session: Session,
    /// What makes its worktree ready, if anything does.
    pub(super) setup: Option<ScriptRun>,
    /// Whoever holds it prepares the session.
    pub(super) lock: Held,
}

/// What came of one attempt to reserve.
enum Attempt {
    Reserved(Box<Reservation>),
    IdTaken,
    PlaceTaken,
}

impl Engine {
    /// Writes the session down under a fresh id.
    pub(super) fn reserve(&self, plan: &Plan<'_>) -> Result<Reservation, EngineError> {
        self.require_suitable_root(plan.repository)?;
        let mut naming = Naming::ByPattern;
        for _ in 0..ATTEMPTS {
            match self.try_reserve(plan, naming)? {
                Attempt::Reserved(reservation) => return Ok(*reservation),
                Attempt::IdTaken => {}
                Attempt::PlaceTaken => naming = Naming::WithId,
            }
        }
        Err(EngineError::Reserved {
            what: "every id that was tried".to_owned(),
        })
    }

    /// What is in the folder for worktrees is kept out of the user's status.
    fn require_suitable_root(&self, repository: &Repository) -> Result<(), EngineError> {
        let root = self.config().core.worktrees_root_of(repository.root());
        match repository.find_unsuitable(&root)? {
            None => Ok(()),
            Some(reason) => Err(EngineError::Invalid {
                problem: format!("worktrees cannot be in {}: {reason}", root.display()),
                way_out: Some("set core.worktrees_root to a folder of its own such as `.worktrees`, or to one outside the repository".to_owned()),
            }),
        }
    }

    fn try_reserve(&self, plan: &Plan<'_>, naming: Naming) -> Result<Attempt, EngineError> {
        let session = self.draft(plan, naming)?;
        let is_movable = naming == Naming::ByPattern && !session.branch_adopted;
        // A branch that exists is somebody else's: from here on, one with this name is ours.
        if !session.branch_adopted && plan.repository.branch_exists(&session.branch)? {
            if is_movable && self.is_taken_by_chance(plan.repository, &session.branch)? {
                return Ok(Attempt::PlaceTaken);
            }
            return Err(WorktreeError::BranchTaken(session.branch).into());
        }
        let lock = self.leases.try_start(&session.id);
        let lock = lock.map_err(|source| EngineError::io("lock the session", source))?;
        let Some(lock) = lock else {
            return Ok(Attempt::IdTaken);
        };
        match self.insert_reserved(plan.repository, &session) {
            Ok((session, setup)) => Ok(Attempt::Reserved(Box::new(Reservation {
                session,
                setup,
                lock,
            }))),
            Err(EngineError::Store(StoreError::Taken(Unique::SessionId))) => Ok(Attempt::IdTaken),
            Err(EngineError::Store(StoreError::Taken(_))) if is_movable => Ok(Attempt::PlaceTaken),
            Err(error) => Err(reserved(error)),
        }
    }

    fn draft(&self, plan: &Plan<'_>, naming: Naming) -> Result<Session, EngineError> {
        let id = SessionId::from_random(random_bytes()?);
        let created_at = self.now();
        let Place {
            branch,
            base_commit,
            worktree,
        } = self.place(plan, &id, created_at, naming)?;
        let new = NewSession {
            id,
            repository: RepositoryId(0),
            name: plan.request.name.clone(),
            prompt: plan.prompt.to_owned(),
            base_branch: plan.base.name.clone(),
            base_commit,
            branch,
            worktree,
            agent: plan.agent.to_owned(),
            created_at,
        };
        let session = self.with_wishes(plan, Session::new(new));
        self.require_runtime(&session)?;
        Ok(session)
    }

    /// The session with what else was asked for.
    fn with_wishes(&self, plan: &Plan<'_>, session: Session) -> Session {
        let request = plan.request;
        let script = request.script.clone();
        Session {
            notes: request.notes.as_deref().map(|text| self.redact(text)),
            constraints: request.constraints.as_deref().map(|text| self.redact(text)),
            issue: request.issue.clone(),
            base_remote: plan.base.remote.clone(),
            branch_adopted: request.branch.is_some(),
            model: request.model.clone(),
            script: script.filter(|script| !script.trim().is_empty()),
            timeout: request.timeout,
            permissions: request.permissions,
            runtime: request.runtime.clone(),
            made_by: self.caller().cloned(),
            ..session
        }
    }

    fn place(
        &self,
        plan: &Plan<'_>,
        id: &SessionId,
        created_at: Timestamp,
        naming: Naming,
    ) -> Result<Place, EngineError> {
        let values = PatternValues {
            id,
            name: &plan.request.name,
            issue: plan.request.issue.as_deref(),
            created_at,
        };
        let fill = |pattern: &BranchPattern| -> Result<String, EngineError> {
            let filled = pattern.fill(values)?;
            Ok(match naming {
                Naming::WithId if !filled.contains(id.as_str()) => format!("{filled}-{id}"),
                Naming::ByPattern | Naming::WithId => filled,
            })
        };
        let settings = &self.config().git;
        let (branch, base_commit) = match &plan.request.branch {
            Some(branch) => (branch.clone(), parting(plan, branch)?),
            None => (
                fill(&settings.branch_pattern)?.parse()?,
                plan.base.commit.clone(),
            ),
        };
        let folder = fill(&settings.folder_pattern)?;
        let worktree = self.worktree_path(plan.repository.root(), &folder)?;
        Ok(Place {
            branch,
            base_commit,
            worktree,
        })
    }

    /// The folder for worktrees with one plain name in it.
    fn worktree_path(&self, root: &Path, folder: &str) -> Result<PathBuf, EngineError> {
        let plain = !folder.is_empty()
            && folder != "."
            && folder != ".."
            && !folder.contains(['/', '\\', '\0']);
        if !plain {
            return Err(EngineError::Invalid {
                problem: format!(
                    "the folder pattern gives `{folder}`, which is not one plain name"
                ),
                way_out: Some("change git.folder_pattern".to_owned()),
            });
        }
        let path = self.config().core.worktrees_root_of(root).join(folder);
        if path.to_str().is_none() {
            return Err(EngineError::Invalid {
                problem: format!("the path {} is not UTF-8", path.display()),
                way_out: Some("set core.worktrees_root to a directory whose name is".to_owned()),
            });
        }
        Ok(path)
    }

    /// The reservation, the intent to make the worktree and the one to set it up are one.
    fn insert_reserved(
        &self,
        repository: &Repository,
        session: &Session,
    ) -> Result<(Session, Option<ScriptRun>), EngineError> {
        self.write_stream(|tx| {
            self.require_room(tx, session)?;
            let session = insert_session(tx, repository, session)?;
            tx.open_intent(&session.id, &Effect::MakeWorktree)?;
            let setup = self.record_setup(tx, &session.id, repository.root())?;
            Ok((session, setup))
        })
    }

    /// Whether nobody meant the branch that is there: it was made in the same second, or a session of this repository has
    /// it. Another one may then get a name beside it.
    fn is_taken_by_chance(
        &self,
        repository: &Repository,
        branch: &BranchName,
    ) -> Result<bool, EngineError> {
        if self.config().git.branch_pattern.tells_moment() {
            return Ok(true);
        }
        self.store.read(|tx| {
            let Some(known) = tx.find_repository(repository.common_dir())? else {
                return Ok(false);
            };
            let filter = SessionFilter {
                repository: Some(known.id),
                archived: true,
            };
            Ok(tx
                .sessions(filter)?
                .iter()
                .any(|session| session.branch == *branch))
        })
    }
}

/// Writes a session down under its repository.
pub(crate) fn insert_session(
    tx: &Tx<'_>,
    repository: &Repository,
    session: &Session,
) -> Result<Session, EngineError> {
    let record = tx.ensure_repository(repository.root(), repository.common_dir())?;
    let session = Session {
        repository: record.id,
        ..session.clone()
    };
    release(tx, Wanted::by(&session))?;
    require_no_id(tx, &session)?;
    match tx.insert_session(&session) {
        Err(StoreError::Taken(Unique::SessionName)) => {
            return Err(name_taken(tx, record.id, &session.name)?);
        }
        done => done?,
    }
    let created = EventBody::SessionCreated {
        name: session.name.to_string(),
    };
    tx.append_event(Some(&session.id), &created)?;
    Ok(session)
}

/// What was taken, as people are told.
pub(crate) fn reserved(error: EngineError) -> EngineError {
    match error {
        EngineError::Store(StoreError::Taken(what)) => EngineError::Reserved {
            what: what.to_string(),
        },
        other => other,
    }
}

/// Where an adopted branch left the base.
fn parting(plan: &Plan<'_>, branch: &BranchName) -> Result<CommitId, EngineError> {
    let head = plan.repository.require_branch(branch)?;
    let parting = plan.repository.merge_base(&plan.base.commit, &head)?;
    Ok(parting.unwrap_or(head))
}
