//! Worktrees of a repository: which belong to sessions, adopting others, forgetting those that are gone.

use std::path::{Path, PathBuf};

use orchestra_core::{
    BranchName, CommitId, NewSession, RepositoryId, Session, SessionId, SessionName,
};
use orchestra_git::{Base, FetchPolicy, Repository, Worktree, WorktreeEntry};
use orchestra_store::{SessionFilter, Tx};

use crate::create::{insert_session, reserved};
use crate::engine::random_bytes;
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// A worktree and the session it belongs to, if any.
#[derive(Debug, Clone)]
pub struct WorktreeRow {
    /// What git says.
    pub entry: WorktreeEntry,
    /// The session.
    pub session: Option<(SessionId, SessionName)>,
}

/// How a worktree becomes a session.
#[derive(Debug, Clone)]
pub struct AdoptWorktree {
    /// The worktree.
    pub path: PathBuf,
    /// The session's name; the folder's name if absent.
    pub name: Option<SessionName>,
    /// What the agent is asked to do.
    pub prompt: String,
    /// The branch to land on; the setting if absent.
    pub base: Option<BranchName>,
    /// The agent; the setting if absent.
    pub agent: Option<String>,
}

impl Engine {
    /// All worktrees of a repository.
    ///
    /// # Errors
    /// If git or the store fails.
    pub fn worktrees(&self, path: &Path) -> Result<Vec<WorktreeRow>, EngineError> {
        let repository = self.git()?.open(path)?;
        let sessions = self.store.read(|tx| {
            Ok::<_, EngineError>(tx.sessions(SessionFilter {
                repository: None,
                archived: true,
            })?)
        })?;
        let rows = repository.list_worktrees()?.into_iter().map(|entry| {
            let session = sessions
                .iter()
                .find(|it| it.worktree == entry.path && it.worktree_deleted_at.is_none());
            WorktreeRow {
                session: session.map(|session| (session.id.clone(), session.name.clone())),
                entry,
            }
        });
        Ok(rows.collect())
    }

    /// Makes a session of a worktree that exists. Nothing in it is changed.
    ///
    /// # Errors
    /// If it is the main checkout, has no branch, or belongs to a session already.
    pub fn adopt_worktree(&self, request: &AdoptWorktree) -> Result<SessionView, EngineError> {
        let opened = self.git()?.open(&request.path)?;
        let main = self.main_checkout(opened.clone())?;
        if !opened.is_linked_worktree() {
            return Err(EngineError::Invalid {
                problem: format!("{} is the main checkout", opened.root().display()),
                way_out: Some("only linked worktrees can become sessions; `orchestra worktree list` shows them".to_owned()),
            });
        }
        self.require_not_moved(main.root())?;
        let worktree = main.worktree_at(opened.root())?;
        let session = self.draft_adopted(&main, &worktree, request)?;
        let inserted = self.write(|tx| {
            require_unowned(tx, &session.worktree)?;
            let session = insert_session(tx, &main, &session)?;
            self.view_in(tx, &session.id)
        });
        inserted.map_err(reserved)
    }

    fn draft_adopted(
        &self,
        main: &Repository,
        worktree: &Worktree,
        request: &AdoptWorktree,
    ) -> Result<Session, EngineError> {
        let (branch, commit) = branch_of(worktree)?;
        let base = self.base_to_land_on(main, request)?;
        let shared = main.merge_base(&base.commit, &commit)?;
        let (agent, name) = self.agent_and_name(worktree, request)?;
        let new = NewSession {
            id: SessionId::from_random(random_bytes()?),
            repository: RepositoryId(0),
            name,
            prompt: self.redact(&request.prompt),
            base_branch: base.name,
            base_commit: shared.unwrap_or(base.commit),
            branch,
            worktree: worktree.path().to_owned(),
            agent,
            created_at: self.now(),
        };
        Ok(Session {
            base_remote: base.remote,
            branch_adopted: true,
            worktree_ready: true,
            ..Session::new(new)
        })
    }

    fn base_to_land_on(
        &self,
        main: &Repository,
        request: &AdoptWorktree,
    ) -> Result<Base, EngineError> {
        let wanted = request.base.as_ref();
        let branch = wanted.unwrap_or(&self.config().git.default_base_branch);
        Ok(main.resolve_base(branch, FetchPolicy::Never)?)
    }

    /// Those of the request, or the usual agent and the name of the folder.
    fn agent_and_name(
        &self,
        worktree: &Worktree,
        request: &AdoptWorktree,
    ) -> Result<(String, SessionName), EngineError> {
        let agent = request.agent.clone();
        let agent = agent.unwrap_or_else(|| self.config().agents.default.clone());
        self.agent_named(&agent)?;
        let name = request.name.clone();
        let name = name.map_or_else(|| folder_of(worktree).parse(), Ok)?;
        self.require_plain_name(&name)?;
        Ok((agent, name))
    }

    /// Forgets registrations of our own worktrees whose directory is gone. Branches and records stay.
    ///
    /// # Errors
    /// If git fails.
    pub fn prune_worktrees(&self, path: &Path) -> Result<Vec<PathBuf>, EngineError> {
        let repository = self.git()?.open(path)?;
        let mut pruned = Vec::new();
        for row in self
            .worktrees(path)?
            .into_iter()
            .filter(|row| row.session.is_some())
        {
            if row.entry.path.exists() {
                continue;
            }
            if let Ok(worktree) = repository.worktree_at(&row.entry.path) {
                worktree.remove(orchestra_git::Removal::IfClean)?;
                pruned.push(row.entry.path);
            }
        }
        Ok(pruned)
    }
}

/// Refuses a worktree that a session has, by the session's name.
fn require_unowned(tx: &Tx<'_>, worktree: &Path) -> Result<(), EngineError> {
    let every = SessionFilter {
        repository: None,
        archived: true,
    };
    let mut sessions = tx.sessions(every)?.into_iter();
    let has_it =
        |session: &Session| session.worktree == worktree && session.worktree_deleted_at.is_none();
    match sessions.find(has_it) {
        Some(owner) => Err(EngineError::WorktreeTaken {
            owner: owner.id,
            owner_name: owner.name,
        }),
        None => Ok(()),
    }
}

fn branch_of(worktree: &Worktree) -> Result<(BranchName, CommitId), EngineError> {
    let head = worktree.head()?;
    match (head.branch(), head.commit()) {
        (Some(branch), Some(commit)) => Ok((branch.clone(), commit.clone())),
        _ => Err(EngineError::Invalid {
            problem: "the worktree has no branch checked out".to_owned(),
            way_out: Some("give it one: git switch -c <branch>".to_owned()),
        }),
    }
}

fn folder_of(worktree: &Worktree) -> &str {
    let name = worktree.path().file_name().and_then(|name| name.to_str());
    name.unwrap_or("adopted")
}
