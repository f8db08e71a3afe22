//! Creating a session: choose the base, reserve name, branch and directory in one step, then write the files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_core::branch::PatternValues;
use orchestra_core::{
    BranchName, BranchPattern, EventBody, GitFacts, Session, SessionId, SessionName, SessionStatus,
    Timestamp,
};
use orchestra_git::{
    Base, FetchPolicy, Fill, Removal, Repository, RepositoryState, StartingPoint, Worktree,
    WorktreeError,
};
use orchestra_store::{Effect, SessionFilter, StoreError};

use crate::engine::random_bytes;
use crate::lookup::name_taken;
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// What a session is created with.
#[derive(Debug, Clone)]
pub struct CreateSession {
    /// A directory in the repository.
    pub repository: PathBuf,
    /// The branch to start from and land on; the setting `git.default_base_branch` if absent.
    pub base: Option<BranchName>,
    /// The session's name.
    pub name: SessionName,
    /// What the agent is asked to do.
    pub prompt: String,
    /// What the user wants to remember.
    pub notes: Option<String>,
    /// What the agent must keep to.
    pub constraints: Option<String>,
    /// The issue it belongs to.
    pub issue: Option<String>,
    /// The command to run after each iteration.
    pub script: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The agent; the setting `agents.default` if absent.
    pub agent: Option<String>,
    /// A branch that exists and is to be worked on.
    pub branch: Option<BranchName>,
    /// How long one iteration may take.
    pub timeout: Option<Duration>,
}

/// A session that was created.
#[derive(Debug, Clone)]
pub struct Created {
    /// The session.
    pub view: SessionView,
    /// Where it starts and why there.
    pub base: Base,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// A reservation is tried again with another id when chance picked one that is taken.
const ATTEMPTS: u32 = 8;

impl Engine {
    /// Creates a session with its branch and worktree. Nothing is left behind if it fails.
    ///
    /// # Errors
    /// If the repository cannot take a session, or name, branch or directory are taken.
    pub fn create_session(&self, request: &CreateSession) -> Result<Created, EngineError> {
        let opened = self.git()?.open(&request.repository)?;
        let repository = self.main_checkout(opened)?;
        let state = repository.state()?;
        require_usable(&repository, &state)?;
        require_text(&request.prompt)?;
        self.require_plain_script(request.script.as_deref())?;
        let agent = request
            .agent
            .clone()
            .unwrap_or_else(|| self.config().agents.default.clone());
        orchestra_agents::Agent::named(&agent)?;
        let base = self.choose_base(&repository, &state, request)?;
        let mut warnings = warnings_of(&state);
        if let Err(error) = self.check_agent(Some(&agent)) {
            warnings.push(format!(
                "{error}; the session can be created but not run yet"
            ));
        }
        let prompt = self.redact(&request.prompt);
        if prompt != request.prompt {
            warnings.push(
                "the prompt contained what looks like a secret; it is kept and sent as ***"
                    .to_owned(),
            );
        }
        let (session, _start) = self.reserve(&repository, request, &base, &agent, &prompt)?;
        self.failpoints.pass("create.reserved");
        if let Err(error) = self.make_worktree(&repository, &session) {
            self.take_back(&session, "its worktree could not be made")?;
            return Err(error);
        }
        Ok(Created {
            view: self.session(&session.id)?,
            base,
            warnings,
        })
    }

    /// The main checkout of a repository that was opened through one of its worktrees.
    pub(crate) fn main_checkout(&self, opened: Repository) -> Result<Repository, EngineError> {
        if !opened.is_linked_worktree() {
            return Ok(opened);
        }
        match opened.list_worktrees()?.into_iter().next() {
            Some(main) if main.path.join(".git").is_dir() => Ok(self.git()?.open(&main.path)?),
            _ => Ok(opened),
        }
    }

    fn choose_base(
        &self,
        repository: &Repository,
        state: &RepositoryState,
        request: &CreateSession,
    ) -> Result<Base, EngineError> {
        let settings = &self.config().git;
        let name = match (&request.base, state.head.branch()) {
            (Some(name), _) => name.clone(),
            // A repository that never heard of the default is worked on from what is checked out.
            (None, Some(current))
                if !repository.branch_exists(&settings.default_base_branch)? =>
            {
                current.clone()
            }
            (None, _) => settings.default_base_branch.clone(),
        };
        let policy = if settings.fetch_wait.is_zero() {
            FetchPolicy::Never
        } else {
            FetchPolicy::Within(settings.fetch_wait)
        };
        Ok(repository.resolve_base(&name, policy)?)
    }

    /// Writes the session down under a fresh id. The store's unique columns make it a reservation.
    fn reserve(
        &self,
        repository: &Repository,
        request: &CreateSession,
        base: &Base,
        agent: &str,
        prompt: &str,
    ) -> Result<(Session, crate::lease::Held), EngineError> {
        let mut suffix = false;
        for _ in 0..ATTEMPTS {
            let id = SessionId::from_random(random_bytes()?);
            let session = self.draft(repository, request, base, agent, prompt, id, suffix)?;
            // A branch that exists is somebody else's: from here on, one with this name is ours.
            if !session.branch_adopted && repository.branch_exists(&session.branch)? {
                if !suffix && self.is_session_branch(repository, &session.branch)? {
                    suffix = true;
                    continue;
                }
                return Err(WorktreeError::BranchTaken(session.branch).into());
            }
            let lock = self
                .leases
                .try_start(&session.id)
                .map_err(|source| EngineError::io("lock the session", source))?;
            let Some(lock) = lock else { continue };
            match self.insert(repository, &session) {
                Ok(session) => return Ok((session, lock)),
                Err(EngineError::Store(StoreError::Taken { what }))
                    if what.contains("sessions.id") => {}
                // Two names can have one slug, and a slug and a second make a branch.
                Err(EngineError::Store(StoreError::Taken { .. }))
                    if !suffix && request.branch.is_none() =>
                {
                    suffix = true
                }
                Err(EngineError::Store(StoreError::Taken { what })) => {
                    let what = if what.contains("worktree") {
                        "the directory"
                    } else {
                        "the branch"
                    };
                    return Err(EngineError::Reserved {
                        what: what.to_owned(),
                    });
                }
                Err(error) => return Err(error),
            }
        }
        Err(EngineError::Reserved {
            what: "every id that was tried".to_owned(),
        })
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of a session come from as many places"
    )]
    fn draft(
        &self,
        repository: &Repository,
        request: &CreateSession,
        base: &Base,
        agent: &str,
        prompt: &str,
        id: SessionId,
        suffix: bool,
    ) -> Result<Session, EngineError> {
        let created_at = self.now();
        let values = PatternValues {
            id: &id,
            name: &request.name,
            issue: request.issue.as_deref(),
            created_at,
        };
        let settings = &self.config().git;
        let fill = |pattern: &BranchPattern| -> Result<String, EngineError> {
            let filled = pattern.fill(values)?;
            Ok(if suffix {
                format!("{filled}-{id}")
            } else {
                filled
            })
        };
        let branch = match &request.branch {
            Some(branch) => branch.clone(),
            None => fill(&settings.branch_pattern)?.parse()?,
        };
        let base_commit = match &request.branch {
            Some(branch) => {
                let head = repository.require_branch(branch)?;
                repository.merge_base(&base.commit, &head)?.unwrap_or(head)
            }
            None => base.commit.clone(),
        };
        let worktree = self.worktree_path(repository.root(), &fill(&settings.folder_pattern)?)?;
        Ok(Session {
            repository: orchestra_core::RepositoryId(0),
            name: request.name.clone(),
            prompt: prompt.to_owned(),
            notes: request.notes.as_deref().map(|text| self.redact(text)),
            constraints: request.constraints.as_deref().map(|text| self.redact(text)),
            issue: request.issue.clone(),
            base_branch: base.name.clone(),
            base_commit,
            branch,
            branch_adopted: request.branch.is_some(),
            worktree,
            worktree_ready: false,
            agent: agent.to_owned(),
            model: request.model.clone(),
            script: request
                .script
                .clone()
                .filter(|script| !script.trim().is_empty()),
            timeout: request.timeout,
            thread: None,
            created_at,
            last_run: None,
            archived_at: None,
            landed_at: None,
            id,
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

    fn insert(&self, repository: &Repository, session: &Session) -> Result<Session, EngineError> {
        self.write_stream(|tx| {
            let record = tx.ensure_repository(repository.root(), repository.common_dir())?;
            let session = Session {
                repository: record.id,
                ..session.clone()
            };
            match tx.insert_session(&session) {
                Err(StoreError::Taken { what }) if what.contains("sessions.name") => {
                    return Err(name_taken(tx, record.id, &session.name)?);
                }
                done => done?,
            }
            tx.open_intent(&session.id, &Effect::MakeWorktree)?;
            tx.append_event(
                Some(&session.id),
                &EventBody::SessionCreated {
                    name: session.name.to_string(),
                },
            )?;
            Ok(session)
        })
    }

    /// Whether a session of this repository has the branch: another one may then get a name beside it.
    fn is_session_branch(
        &self,
        repository: &Repository,
        branch: &BranchName,
    ) -> Result<bool, EngineError> {
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

    fn make_worktree(&self, repository: &Repository, session: &Session) -> Result<(), EngineError> {
        if let Some(root) = session.worktree.parent() {
            repository.exclude_directory(root)?;
        }
        let start = if session.branch_adopted {
            StartingPoint::Existing(session.branch.clone())
        } else {
            StartingPoint::NewBranch {
                name: session.branch.clone(),
                at: session.base_commit.clone(),
            }
        };
        let worktree = repository.register_worktree(&session.worktree, &start)?;
        self.failpoints.pass("create.registered");
        if let Err(error) = fill(&worktree, session) {
            worktree.remove(Removal::DiscardChanges)?;
            if !session.branch_adopted {
                repository.delete_branch(&session.branch, &session.base_commit)?;
            }
            return Err(error);
        }
        self.failpoints.pass("create.filled");
        self.mark_ready(session)
    }

    fn mark_ready(&self, session: &Session) -> Result<(), EngineError> {
        self.write(|tx| {
            tx.set_worktree_ready(&session.id)?;
            if !session.branch_adopted {
                tx.put_git_facts(&session.id, &fresh_facts(session, self.now()))?;
            }
            for intent in tx
                .open_intents()?
                .into_iter()
                .filter(|intent| intent.session == session.id)
            {
                tx.close_intent(intent.key, "done")?;
            }
            let changed = EventBody::SessionStatusChanged {
                from: SessionStatus::Initializing,
                to: SessionStatus::Idle,
            };
            tx.append_event(Some(&session.id), &changed)?;
            Ok(())
        })
    }
}

/// A branch that was just made stands where it started, and its files were just written.
fn fresh_facts(session: &Session, now: Timestamp) -> GitFacts {
    GitFacts {
        head: Some(session.base_commit.clone()),
        ahead: Some(0),
        behind: Some(0),
        dirty: Some(false),
        checked_at: now,
    }
}

fn fill(worktree: &Worktree, session: &Session) -> Result<(), EngineError> {
    let head = worktree
        .head()?
        .commit()
        .cloned()
        .unwrap_or_else(|| session.base_commit.clone());
    Ok(worktree.fill(&head, Fill::Fresh)?)
}

fn require_usable(repository: &Repository, state: &RepositoryState) -> Result<(), EngineError> {
    let unusable = |reason: String, way_out: String| EngineError::RepositoryUnusable {
        root: repository.root().to_owned(),
        reason,
        way_out,
    };
    if repository.root().to_str().is_none() {
        return Err(unusable(
            "its path is not UTF-8".to_owned(),
            "move it to a path that is".to_owned(),
        ));
    }
    if let Some(operation) = state.operation {
        return Err(unusable(
            format!("a {operation} is in progress"),
            format!("finish it first: {}", operation.way_out()),
        ));
    }
    if !state.has_commits {
        return Err(unusable(
            "it has no commits".to_owned(),
            "make a first one: git add . && git commit -m \"First commit\"".to_owned(),
        ));
    }
    Ok(())
}

fn require_text(prompt: &str) -> Result<(), EngineError> {
    if prompt.trim().is_empty() {
        return Err(EngineError::Invalid {
            problem: "the prompt is empty".to_owned(),
            way_out: Some(
                "say what the agent should do: --prompt \"...\", --prompt @file or --prompt -"
                    .to_owned(),
            ),
        });
    }
    Ok(())
}

fn warnings_of(state: &RepositoryState) -> Vec<String> {
    let mut warnings = Vec::new();
    if state.has_submodules {
        warnings.push(
            "submodules are empty in the new worktree; run `git submodule update --init` there if the work needs them".to_owned(),
        );
    }
    if state.has_lfs && !state.has_lfs_filter {
        warnings.push(
            "the repository keeps large files with Git LFS, but your own git settings have no filter for it, so such files are committed whole; run `git lfs install` first".to_owned(),
        );
    }
    if state.is_sparse {
        warnings.push("the main checkout is sparse; the new worktree has all files".to_owned());
    }
    warnings
}
