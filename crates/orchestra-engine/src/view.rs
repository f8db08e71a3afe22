//! Sessions as every face shows them: the record, the derived status, the last iteration and what git last said.

use std::collections::{HashMap, HashSet};

use orchestra_core::status::{self, Lease, ScriptFact, SessionFacts, WorktreeFact};
use orchestra_core::{
    DatabaseState, DiskFacts, EventBody, GitFacts, Iteration, Parked, PermissionQuestion, Progress,
    Repository, RepositoryId, SETUP_SCRIPT, ScriptRun, Session, SessionId, SessionStatus,
    SetupState, TakenBack,
};
use orchestra_store::{SessionFilter, Tx};

use crate::landing::still_landed::is_lost;
use crate::loss::{is_gone, is_linked};
use crate::script::has_failed;
use crate::{Engine, EngineError};

/// A session with everything a list or a detail page shows.
#[derive(Debug, Clone)]
pub struct SessionView {
    /// The record.
    pub session: Session,
    /// Where it lives.
    pub repository: Repository,
    /// The derived status.
    pub status: SessionStatus,
    /// The newest iteration.
    pub iteration: Option<Iteration>,
    /// What its agent wants to do and nobody has decided: that is what it waits for, if it waits.
    pub questions: Vec<PermissionQuestion>,
    /// Whether the session's script, as it is now, failed when it last ran.
    pub script_failed: bool,
    /// The script that somebody started by hand and that runs, as far as can be told.
    pub script_run: Option<ScriptRun>,
    /// The newest run of each of its servers, by name, as far as can be told whether it goes on.
    pub servers: Vec<ScriptRun>,
    /// How its set-up stands.
    pub setup: SetupState,
    /// The newest run of its set-up.
    pub setup_run: Option<ScriptRun>,
    /// What git last said, and when.
    pub git: Option<GitFacts>,
    /// The space its worktree takes, and when that was counted.
    pub disk: Option<DiskFacts>,
    facts: SessionFacts,
}

impl SessionView {
    /// What git says now, and the status that follows from it.
    pub(crate) fn take_facts(&mut self, git: GitFacts) {
        self.facts.landed = has_landed(&self.session, Some(&git));
        self.status = status::derive(self.facts);
        self.git = Some(git);
    }

    /// Whether the session cannot go on without the user: a question, a conflict, a failure, a script or a set-up that failed,
    /// or work that is not on its branch.
    #[must_use]
    pub fn needs_user(&self) -> bool {
        let last = self.iteration.as_ref();
        let is_off_branch = last.is_some_and(|iteration| iteration.off_branch.is_some());
        // Whoever removed what it makes knows of it, and need not be told by every session.
        let lacks_setup = self.lacks_setup() && self.setup != SetupState::Cleared;
        let unsettled = self.script_failed || is_off_branch || lacks_setup;
        let needs_user = self.status.needs_user() && self.parked().is_none();
        needs_user || (self.status == SessionStatus::Idle && unsettled)
    }

    /// Until when it waits for its agent's provider, if it goes on by itself then.
    #[must_use]
    pub fn parked(&self) -> Option<Parked> {
        match self.iteration.as_ref()?.progress {
            Progress::Parked(parked) if self.status == SessionStatus::Blocked => Some(parked),
            _ => None,
        }
    }

    /// Whether something works on the session now or goes on by itself, so that nothing else may start.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.status.is_active() || self.stands_still()
    }

    /// Whether something works on the session now, or may: silence proves nothing.
    #[must_use]
    pub fn may_be_at_work(&self) -> bool {
        self.status.may_be_active() || self.stands_still()
    }

    /// Whether it is in the middle of a turn and waits for something outside.
    fn stands_still(&self) -> bool {
        self.parked().is_some() || self.waits_while_running()
    }

    /// Whether its set-up has to be done before it can be worked on.
    #[must_use]
    pub fn lacks_setup(&self) -> bool {
        let is_there = self.session.trash.is_none() && self.session.archived_at.is_none();
        is_there && self.setup.is_wanting()
    }

    /// Whether nothing of ours works in it, as far as is recorded: no agent, no script and no server.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.running_servers().next().is_none() && !self.may_be_at_work()
    }

    /// Whether its agent runs and waits until it is told whether it may use a tool.
    #[must_use]
    pub fn waits_while_running(&self) -> bool {
        self.status == SessionStatus::AwaitingInput && self.work().is_some()
    }

    /// The set-up, while it runs.
    #[must_use]
    pub fn running_setup(&self) -> Option<&ScriptRun> {
        let run = self.script_run.as_ref();
        run.filter(|run| run.script == SETUP_SCRIPT)
    }
}

/// Sessions, and the number of the event log they are true at.
#[derive(Debug, Clone)]
pub struct Listing {
    /// The newest event they include.
    pub seq: u64,
    /// The sessions, newest first.
    pub sessions: Vec<SessionView>,
}

/// Which sessions to list.
#[derive(Debug, Clone, Default)]
pub struct ListRequest {
    /// Only those of one repository.
    pub repository: Option<RepositoryId>,
    /// Only those with one of these statuses; empty means all.
    pub statuses: Vec<SessionStatus>,
    /// Only those that cannot go on without the user.
    pub needs_me: bool,
    /// Also those that were put away.
    pub archived: bool,
}

impl Engine {
    /// Lists sessions from the store alone; git is not asked.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn list_sessions(&self, request: &ListRequest) -> Result<Listing, EngineError> {
        let filter = SessionFilter {
            repository: request.repository,
            archived: request.archived,
        };
        self.store.read(|tx| {
            let mut records = Records::load(tx)?;
            let sessions = tx
                .sessions(filter)?
                .into_iter()
                .filter_map(|session| {
                    let repository = records.repositories.get(&session.repository)?.clone();
                    let recorded = records.take(&session.id);
                    Some(self.view(session, repository, recorded))
                })
                .filter(|view| {
                    request.statuses.is_empty() || request.statuses.contains(&view.status)
                })
                .filter(|view| !request.needs_me || view.needs_user())
                .collect();
            Ok(Listing {
                seq: tx.last_seq()?,
                sessions,
            })
        })
    }

    /// One session, by id.
    ///
    /// # Errors
    /// If there is none, or the store cannot be read.
    pub fn session(&self, id: &SessionId) -> Result<SessionView, EngineError> {
        self.store.read(|tx| self.view_in(tx, id))
    }

    pub(crate) fn view_in(&self, tx: &Tx<'_>, id: &SessionId) -> Result<SessionView, EngineError> {
        let not_found = || EngineError::SessionNotFound {
            text: id.to_string(),
        };
        let session = tx.find_session(id)?.ok_or_else(not_found)?;
        let repository = tx.repository(session.repository)?;
        let recorded = Recorded {
            iteration: tx.latest_iteration(id)?,
            questions: tx.open_questions(Some(id))?,
            script: scripts_by_session(tx)?.remove(id),
            script_failed: !failed_scripts(tx, Some(id))?.is_empty(),
            setup: setups(tx, Some(id))?.remove(id),
            servers: servers(tx, Some(id))?.remove(id).unwrap_or_default(),
            has_unmade_databases: !unmade_databases(tx, Some(id))?.is_empty(),
            git: tx.git_facts_of(id)?,
            disk: tx.disk_use_of(id)?,
        };
        Ok(self.view(session, repository, recorded))
    }

    fn view(&self, session: Session, repository: Repository, recorded: Recorded) -> SessionView {
        let Recorded {
            iteration,
            questions,
            script,
            script_failed,
            setup,
            servers,
            has_unmade_databases,
            git,
            disk,
        } = recorded;
        let unfinished = iteration
            .as_ref()
            .is_some_and(|iteration| !iteration.progress.is_finished())
            || script.is_some()
            || !session.worktree_ready;
        let lease = if unfinished {
            self.leases.state(&session.id)
        } else {
            Lease::Free
        };
        let facts = SessionFacts {
            worktree: worktree_fact(&session, &repository),
            iteration: iteration.as_ref().map(Iteration::facts),
            asks_permission: questions.iter().any(|question| question.request.is_some()),
            script: script.as_ref().map(script_fact),
            lease,
            rebase_in_progress: session.rebase.is_some(),
            landed: has_landed(&session, git.as_ref()),
        };
        let (setup, setup_run) = setup_fact(setup, lease);
        let setup = match has_unmade_databases {
            true => setup.with_unmade_databases(),
            false => setup,
        };
        let status = status::derive(facts);
        let waits = status == SessionStatus::AwaitingInput;
        SessionView {
            session,
            repository,
            status,
            iteration,
            questions: questions.into_iter().filter(|_| waits).collect(),
            script_failed,
            setup,
            setup_run,
            script_run: script.filter(|_| lease != Lease::Free),
            servers: servers
                .into_iter()
                .map(|run| self.as_it_stands(run))
                .collect(),
            git,
            disk,
            facts,
        }
    }
}

/// Tells that the status of a session is another one now, if it is.
pub(crate) fn tell_status(
    tx: &Tx<'_>,
    id: &SessionId,
    from: SessionStatus,
    to: SessionStatus,
) -> Result<(), EngineError> {
    if from != to {
        tx.append_event(Some(id), &EventBody::SessionStatusChanged { from, to })?;
    }
    Ok(())
}

/// What the store has of a session beside its record.
struct Recorded {
    iteration: Option<Iteration>,
    questions: Vec<PermissionQuestion>,
    script: Option<ScriptRun>,
    script_failed: bool,
    setup: Option<(ScriptRun, Option<TakenBack>)>,
    servers: Vec<ScriptRun>,
    has_unmade_databases: bool,
    git: Option<GitFacts>,
    disk: Option<DiskFacts>,
}

/// What the store has of all sessions.
struct Records {
    repositories: HashMap<RepositoryId, Repository>,
    iterations: HashMap<SessionId, Iteration>,
    questions: HashMap<SessionId, Vec<PermissionQuestion>>,
    scripts: HashMap<SessionId, ScriptRun>,
    failed_scripts: HashSet<SessionId>,
    setups: HashMap<SessionId, (ScriptRun, Option<TakenBack>)>,
    servers: HashMap<SessionId, Vec<ScriptRun>>,
    unmade_databases: HashSet<SessionId>,
    git: HashMap<SessionId, GitFacts>,
    disk: HashMap<SessionId, DiskFacts>,
}

impl Records {
    fn load(tx: &Tx<'_>) -> Result<Self, EngineError> {
        let repositories = tx.repositories()?.into_iter();
        let iterations = tx.latest_iterations()?.into_iter();
        Ok(Self {
            repositories: repositories.map(|it| (it.id, it)).collect(),
            iterations: iterations.map(|it| (it.session.clone(), it)).collect(),
            questions: open_questions(tx)?,
            scripts: scripts_by_session(tx)?,
            failed_scripts: failed_scripts(tx, None)?,
            setups: setups(tx, None)?,
            servers: servers(tx, None)?,
            unmade_databases: unmade_databases(tx, None)?,
            git: tx.git_facts()?.into_iter().collect(),
            disk: tx.disk_use()?.into_iter().collect(),
        })
    }

    fn take(&mut self, session: &SessionId) -> Recorded {
        Recorded {
            iteration: self.iterations.remove(session),
            questions: self.questions.remove(session).unwrap_or_default(),
            script: self.scripts.remove(session),
            script_failed: self.failed_scripts.contains(session),
            setup: self.setups.remove(session),
            servers: self.servers.remove(session).unwrap_or_default(),
            has_unmade_databases: self.unmade_databases.contains(session),
            git: self.git.remove(session),
            disk: self.disk.remove(session),
        }
    }
}

/// What agents want to do and nobody has decided.
fn open_questions(tx: &Tx<'_>) -> Result<HashMap<SessionId, Vec<PermissionQuestion>>, EngineError> {
    let mut questions: HashMap<SessionId, Vec<PermissionQuestion>> = HashMap::new();
    for question in tx.open_questions(None)? {
        let of_session = questions.entry(question.session.clone());
        of_session.or_default().push(question);
    }
    Ok(questions)
}

/// How a set-up stands, and its run. One that nobody carries was cut off.
fn setup_fact(
    setup: Option<(ScriptRun, Option<TakenBack>)>,
    lease: Lease,
) -> (SetupState, Option<ScriptRun>) {
    match setup {
        None => (SetupState::None, None),
        Some((run, _)) if run.finished.is_none() && lease == Lease::Free => {
            (SetupState::Interrupted, Some(run))
        }
        Some((run, taken_back)) => (SetupState::of(&run, taken_back), Some(run)),
    }
}

fn script_fact(run: &ScriptRun) -> ScriptFact {
    match run.script.as_str() {
        SETUP_SCRIPT => ScriptFact::Setup,
        _ => ScriptFact::ByHand,
    }
}

/// The newest set-up of sessions, or of the one, and what took it back since.
fn setups(
    tx: &Tx<'_>,
    session: Option<&SessionId>,
) -> Result<HashMap<SessionId, (ScriptRun, Option<TakenBack>)>, EngineError> {
    let runs = tx.setup_runs(session)?.into_iter();
    Ok(runs.map(|it| (it.0.session.clone(), it)).collect())
}

/// The newest run of each server of sessions, or of the one.
fn servers(
    tx: &Tx<'_>,
    session: Option<&SessionId>,
) -> Result<HashMap<SessionId, Vec<ScriptRun>>, EngineError> {
    let mut servers: HashMap<SessionId, Vec<ScriptRun>> = HashMap::new();
    for run in tx.server_runs(session)? {
        servers.entry(run.session.clone()).or_default().push(run);
    }
    Ok(servers)
}

/// Sessions, or the one, with databases whose place is reserved and that nobody made.
fn unmade_databases(
    tx: &Tx<'_>,
    session: Option<&SessionId>,
) -> Result<HashSet<SessionId>, EngineError> {
    let databases = tx.databases(session)?.into_iter();
    let unmade = databases.filter(|database| database.state == DatabaseState::Reserved);
    Ok(unmade.map(|database| database.session).collect())
}

/// What the branch got after it landed has not landed, nor has what its base does not have any more.
fn has_landed(session: &Session, git: Option<&GitFacts>) -> bool {
    let Some(landed) = &session.landed else {
        return false;
    };
    let head = git.and_then(|facts| facts.head.as_ref());
    head.is_none_or(|head| *head == landed.head) && !is_lost(landed, git)
}

fn worktree_fact(session: &Session, repository: &Repository) -> WorktreeFact {
    if session.trash.is_some() {
        return WorktreeFact::Trashed;
    }
    let is_there = is_linked(session) && !is_gone(repository);
    match (session.worktree_ready, is_there) {
        (false, _) => WorktreeFact::Reserved,
        (true, true) => WorktreeFact::Ready,
        (true, false) => WorktreeFact::Missing,
    }
}

/// Sessions, or the one, whose script failed when it last ran.
fn failed_scripts(
    tx: &Tx<'_>,
    session: Option<&SessionId>,
) -> Result<HashSet<SessionId>, EngineError> {
    let verdicts = tx.script_verdicts(session)?.into_iter();
    Ok(verdicts.filter(has_failed).map(|run| run.session).collect())
}

/// Scripts without an end that somebody started by hand; there is at most one per session.
fn scripts_by_session(tx: &Tx<'_>) -> Result<HashMap<SessionId, ScriptRun>, EngineError> {
    let unfinished = tx.unfinished_script_runs()?.into_iter();
    Ok(unfinished
        .filter(|run| run.iteration.is_none() && run.server.is_none())
        .map(|run| (run.session.clone(), run))
        .collect())
}
