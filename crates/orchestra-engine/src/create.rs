//! Creating a session: choose the base, reserve name, branch and directory in one step, then write the files.

mod reserve;

use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_config::Kind;
use orchestra_core::{
    BranchName, GitFacts, PermissionPolicy, RuntimeWishes, ScriptRun, Session, SessionName,
    SessionStatus, Timestamp,
};
use orchestra_git::{
    Base, FetchPolicy, Fill, GitError, Repository, RepositoryState, StartingPoint, Worktree,
    WorktreeError,
};

use crate::lookup::name_taken;
use crate::view::{SessionView, tell_status};
use crate::{Engine, EngineError};

use reserve::{Plan, Reservation};
pub(crate) use reserve::{insert_session, reserved};

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
    /// How long one iteration may take; zero means no limit, `None` what the setting `core.session_timeout` says.
    pub timeout: Option<Duration>,
    /// What happens when the agent wants to use a tool; `None` what the setting `agents.permissions` says.
    pub permissions: Option<PermissionPolicy>,
    /// How its agent is run.
    pub runtime: RuntimeWishes,
}

/// A session that was created.
#[derive(Debug, Clone)]
pub struct Created {
    /// The session.
    pub view: SessionView,
    /// What a new branch starts from, and an adopted one lands on.
    pub base: Base,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// What a new session stands on.
struct Ground {
    repository: Repository,
    state: RepositoryState,
    agent: String,
    base: Base,
}

impl Engine {
    /// Creates a session with its branch and worktree. Nothing is left behind if it fails.
    ///
    /// # Errors
    /// If the repository cannot take a session, or name, branch or directory are taken.
    pub fn create_session(&self, request: &CreateSession) -> Result<Created, EngineError> {
        require_text(&request.prompt)?;
        let ground = self.survey(request)?;
        let mut warnings = warnings_of(&ground.state);
        warnings.extend(self.require_disk_space()?);
        warnings.extend(self.warnings_before(&ground, request));
        let Reservation {
            session,
            setup,
            lock: _start,
        } = self.reserve(&Plan {
            repository: &ground.repository,
            request,
            base: &ground.base,
            agent: &ground.agent,
            prompt: &self.redact(&request.prompt),
        })?;
        self.failpoints.pass("create.reserved");
        self.make_worktree(&ground.repository, &session, setup.as_ref())?;
        warnings.extend(self.equip(&session, setup.as_ref()));
        warnings.extend(self.idle_rules_warning(&session));
        warnings.extend(self.budget_warnings(&session));
        Ok(Created {
            view: self.view_of_new(&session)?,
            base: ground.base,
            warnings,
        })
    }

    /// Gives a new session what it has for itself, and lets its set-up begin. What it lacks does not keep it from being there:
    /// answers what the user should know.
    fn equip(&self, session: &Session, setup: Option<&ScriptRun>) -> Vec<String> {
        let lacking = self.session_environment(&session.id).err();
        let lacking = lacking.map(|error| error.to_string());
        let not_begun = setup.and_then(|run| self.begin_setup(session, run));
        lacking.into_iter().chain(not_begun).collect()
    }

    fn view_of_new(&self, session: &Session) -> Result<SessionView, EngineError> {
        let view = || self.session(&session.id);
        match session.branch_adopted {
            // Where such a branch stands, only git knows; the session is there even if it cannot be asked.
            true => self.refresh(&session.id).or_else(|_| view()),
            false => view(),
        }
    }

    /// What does not keep a session from being created, and the user should know: why it could not run, and what is kept
    /// without its secrets.
    fn warnings_before(&self, ground: &Ground, request: &CreateSession) -> Vec<String> {
        let environment = request.runtime.environment.as_deref();
        let agent = self.check_agent(Some(&ground.agent), environment).err();
        let identity = ground.repository.require_identity();
        let problems = [agent, identity.err().map(EngineError::from)];
        let problems = problems
            .iter()
            .flatten()
            .map(|problem| format!("{problem}; the session can be created but not run yet"));
        let texts = [
            ("the prompt", Some(&request.prompt)),
            ("the notes", request.notes.as_ref()),
            ("the constraints", request.constraints.as_ref()),
        ];
        let secrets = texts
            .into_iter()
            .filter_map(|(what, text)| self.secret_warning(what, text?));
        problems.chain(secrets).collect()
    }

    /// Finds out whether a session could be created, whatever its prompt. Nothing is changed.
    ///
    /// # Errors
    /// As [`Engine::create_session`], as far as it can be told before.
    pub fn check_new_session(&self, request: &CreateSession) -> Result<(), EngineError> {
        let Ground { repository, .. } = self.survey(request)?;
        if let Some(branch) = &request.branch {
            repository.require_branch(branch)?;
        }
        self.store.read(|tx| {
            let Some(known) = tx.find_repository(repository.common_dir())? else {
                return Ok(());
            };
            let name = &request.name;
            let is_same = |it: &Session| {
                it.repository == known.id && it.name == *name && it.worktree_deleted_at.is_none()
            };
            match tx.sessions_matching(name.as_str())?.iter().any(is_same) {
                true => Err(name_taken(tx, known.id, name)?),
                false => Ok(()),
            }
        })
    }

    /// Refuses a repository in which git does not know whose commits it should make.
    ///
    /// # Errors
    /// Why nothing could be committed there.
    pub fn check_identity(&self, repository: &Path) -> Result<(), EngineError> {
        self.git()?.open(repository)?.require_identity()?;
        Ok(())
    }

    fn survey(&self, request: &CreateSession) -> Result<Ground, EngineError> {
        let opened = self.git()?.open(&request.repository)?;
        let repository = self.main_checkout(opened)?;
        self.require_not_moved(repository.root())?;
        let state = repository.state()?;
        require_usable(&repository, &state)?;
        self.require_plain_name(&request.name)?;
        self.require_plain_script(request.script.as_deref())?;
        require_issue(request.issue.as_deref())?;
        require_model(request.model.as_deref())?;
        let agent = request.agent.clone();
        let agent = agent.unwrap_or_else(|| self.config().agents.default.clone());
        self.agent_named(&agent)?;
        let base = self.choose_base(&repository, &state, request)?;
        Ok(Ground {
            repository,
            state,
            agent,
            base,
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
        match repository.resolve_base(&name, self.fetch_policy()) {
            Err(GitError::NoSuchBranch { .. }) if request.base.is_none() => {
                Err(EngineError::RepositoryUnusable {
                    root: repository.root().to_owned(),
                    reason: format!("there is no branch `{name}`, and none is checked out"),
                    way_out: "name the branch to start from with --base, or set it: orchestra config set git.default_base_branch <branch>".to_owned(),
                })
            }
            base => Ok(base?),
        }
    }

    /// How long the remote of a base may take to answer.
    pub(crate) fn fetch_policy(&self) -> FetchPolicy {
        match self.config().git.fetch_wait {
            wait if wait.is_zero() => FetchPolicy::Never,
            wait => FetchPolicy::Within(wait),
        }
    }

    /// Fails without leaving anything behind; what cannot be taken back keeps its record, so that it is found again.
    fn make_worktree(
        &self,
        repository: &Repository,
        session: &Session,
        setup: Option<&ScriptRun>,
    ) -> Result<(), EngineError> {
        let worktree = match register(repository, session) {
            Ok(worktree) => worktree,
            Err(error @ WorktreeError::LeftBehind { .. }) => {
                return Err(self.give_up(session, error.into()));
            }
            Err(error) => {
                self.take_back(session)?;
                return Err(error.into());
            }
        };
        self.failpoints.pass("create.registered");
        if let Err(error) = fill(&worktree, session) {
            return Err(self.give_up(session, error));
        }
        self.failpoints.pass("create.filled");
        let ready = self.mark_ready(session, setup);
        ready.map_err(|error| EngineError::HalfMade {
            session: session.id.clone(),
            why: "its worktree is there, but could not be recorded".to_owned(),
            cause: Box::new(error),
        })
    }

    /// A session that will be set up is not at rest yet.
    fn mark_ready(&self, session: &Session, setup: Option<&ScriptRun>) -> Result<(), EngineError> {
        self.write(|tx| {
            tx.set_worktree_ready(&session.id)?;
            if !session.branch_adopted {
                tx.put_git_facts(&session.id, &fresh_facts(session, self.now()))?;
            }
            tx.close_intents_of(&session.id, orchestra_store::DONE)?;
            if setup.is_none() {
                let (from, to) = (SessionStatus::Initializing, SessionStatus::Idle);
                tell_status(tx, &session.id, from, to)?;
            }
            Ok(())
        })
    }
}

fn register(repository: &Repository, session: &Session) -> Result<Worktree, WorktreeError> {
    let root = session.worktree.parent().unwrap_or(&session.worktree);
    repository.keep_out_of_status(root)?;
    let start = if session.branch_adopted {
        StartingPoint::Existing(session.branch.clone())
    } else {
        StartingPoint::NewBranch {
            name: session.branch.clone(),
            at: session.base_commit.clone(),
        }
    };
    let made = repository.register_worktree(&session.worktree, &start);
    if made.is_err()
        && let Err(error) = repository.remove_unused_folder(root)
    {
        tracing::debug!(%error, "the folder for worktrees stays");
    }
    made
}

/// A branch that was just made stands where it started, and its files were just written.
fn fresh_facts(session: &Session, now: Timestamp) -> GitFacts {
    GitFacts {
        head: Some(session.base_commit.clone()),
        ahead: Some(0),
        behind: Some(0),
        dirty: Some(false),
        other_checkout: None,
        landed: None,
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
    if let Some(operation) = state.in_progress {
        return Err(unusable(
            format!("a {operation} is in progress"),
            format!("finish it first: {}", operation.way_out()),
        ));
    }
    if state.lacks_lfs_program {
        return Err(unusable(
            "it keeps large files with Git LFS, and your git settings call `git-lfs`, which is not installed".to_owned(),
            "install Git LFS, or take its filter out of your settings: git config --global --remove-section filter.lfs".to_owned(),
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

/// An issue that is given says something: patterns and artifacts are named by it.
pub(crate) fn require_issue(issue: Option<&str>) -> Result<(), EngineError> {
    let problem = match issue {
        Some(issue) if issue.trim().is_empty() => "is empty".to_owned(),
        Some(issue) if !Kind::Text.takes_text(issue) => {
            format!("must be {}", Kind::Text.expected())
        }
        Some(_) | None => return Ok(()),
    };
    Err(EngineError::Invalid {
        problem: format!("the issue {problem}"),
        way_out: Some("give its number or name, such as 101, or no issue at all".to_owned()),
    })
}

/// A model stands on the agent's command line, where nothing given may become an option.
pub(crate) fn require_model(model: Option<&str>) -> Result<(), EngineError> {
    require_word("model", model)
}

/// A mode does, too.
pub(crate) fn require_mode(mode: Option<&str>) -> Result<(), EngineError> {
    require_word("mode", mode)
}

fn require_word(what: &str, word: Option<&str>) -> Result<(), EngineError> {
    match word {
        Some(word) if !Kind::Word.takes_text(word) => Err(EngineError::Invalid {
            problem: format!("the {what} must be {}", Kind::Word.expected()),
            way_out: Some(
                "give it as the agent names it, such as smart, or none at all".to_owned(),
            ),
        }),
        Some(_) | None => Ok(()),
    }
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
        warnings.push("the main checkout is sparse, so the new worktree has the same files; `git sparse-checkout disable` in it brings the others".to_owned());
    }
    warnings
}
