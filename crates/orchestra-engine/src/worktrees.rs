//! Worktrees of a repository: which belong to sessions, adopting others, forgetting those that are gone.

use std::path::{Path, PathBuf};

use orchestra_core::{BranchName, EventBody, Session, SessionId, SessionName};
use orchestra_git::{HalfMade, WorktreeEntry};
use orchestra_store::{SessionFilter, StoreError};

use crate::engine::random_bytes;
use crate::lookup::name_taken;
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
                .find(|session| session.worktree == entry.path);
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
        let worktree = main.worktree_at(opened.root())?;
        let head = worktree.head()?;
        let (Some(branch), Some(commit)) = (head.branch().cloned(), head.commit().cloned()) else {
            return Err(EngineError::Invalid {
                problem: "the worktree has no branch checked out".to_owned(),
                way_out: Some("give it one: git switch -c <branch>".to_owned()),
            });
        };
        let base_branch = request
            .base
            .clone()
            .unwrap_or_else(|| self.config().git.default_base_branch.clone());
        let base = main.require_branch(&base_branch)?;
        let base_commit = main.merge_base(&base, &commit)?.unwrap_or(base);
        let folder = worktree
            .path()
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or("adopted");
        let agent = request
            .agent
            .clone()
            .unwrap_or_else(|| self.config().agents.default.clone());
        orchestra_agents::Agent::named(&agent)?;
        let session = Session {
            id: SessionId::from_random(random_bytes()?),
            repository: orchestra_core::RepositoryId(0),
            name: request.name.clone().map_or_else(|| folder.parse(), Ok)?,
            prompt: self.redact(&request.prompt),
            notes: None,
            constraints: None,
            issue: None,
            base_branch,
            base_commit,
            branch,
            branch_adopted: true,
            worktree: worktree.path().to_owned(),
            worktree_ready: true,
            agent,
            model: None,
            script: None,
            timeout: None,
            thread: None,
            created_at: self.now(),
            last_run: None,
            archived_at: None,
            landed_at: None,
        };
        self.insert_adopted(&main, &session)
    }

    fn insert_adopted(
        &self,
        main: &orchestra_git::Repository,
        session: &Session,
    ) -> Result<SessionView, EngineError> {
        self.write(|tx| {
            let record = tx.ensure_repository(main.root(), main.common_dir())?;
            let session = Session {
                repository: record.id,
                ..session.clone()
            };
            match tx.insert_session(&session) {
                Err(StoreError::Taken { what }) if what.contains("sessions.name") => {
                    return Err(name_taken(tx, record.id, &session.name)?);
                }
                Err(StoreError::Taken { what }) => {
                    return Err(EngineError::Reserved {
                        what: taken(&what).to_owned(),
                    });
                }
                done => done?,
            }
            tx.append_event(
                Some(&session.id),
                &EventBody::SessionCreated {
                    name: session.name.to_string(),
                },
            )?;
            self.view_in(tx, &session.id)
        })
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

    /// Half-made worktrees of our own sessions.
    pub(crate) fn half_made(&self, sessions: &[Session]) -> Vec<HalfMade> {
        sessions
            .iter()
            .filter(|session| !session.worktree_ready)
            .map(|session| HalfMade {
                path: session.worktree.clone(),
                branch: (!session.branch_adopted)
                    .then(|| (session.branch.clone(), session.base_commit.clone())),
            })
            .collect()
    }
}

fn taken(column: &str) -> &'static str {
    if column.contains("sessions.branch") {
        "the branch"
    } else {
        "the worktree"
    }
}
