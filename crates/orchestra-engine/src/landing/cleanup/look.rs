//! What stands in the way of a cleanup: has it landed, is it clean, does somebody use it.

use std::collections::BTreeSet;
use std::path::Path;

use orchestra_core::{
    BranchName, Change, CommitId, Operation, OperationState, PassedOver, ScriptRun, Session,
    SetupState, TEARDOWN_SCRIPT,
};
use orchestra_git::{LandedBy, Repository, Worktree, WorktreeError};
use orchestra_process::{processes_using, processes_with_marker_prefix};

use super::{BranchChoice, Cleanup, CleanupPlan, DatabaseChoice, Obstacle, Teardown};
use crate::checkout::GoneBranch;
use crate::environment::WayToDrop;
use crate::landing::trash::require_not_deleted;
use crate::loss::moved_to;
use crate::project_commands::{ProjectCommand, TEARDOWN};
use crate::view::SessionView;
use crate::{Consent, Engine, EngineError};

impl Cleanup {
    /// With the consents that an earlier one was given.
    pub(super) fn as_before(cleanup: &Operation) -> Self {
        let has = |consent| Consent::given_if(cleanup.overridden.contains(&consent));
        let keeps_branch = matches!(cleanup.change, Change::Trash { branch: None, .. });
        Self {
            branch: match keeps_branch {
                true => BranchChoice::Keep,
                false => BranchChoice::Delete,
            },
            unlanded: has(PassedOver::Unlanded),
            dirty: has(PassedOver::Dirty),
            databases: DatabaseChoice::Keep,
            teardown: Teardown::Skip,
        }
    }
}

impl Engine {
    /// Whether a cleanup that is done again tears down: if the first one did, and it is not how the first one left it.
    pub(super) fn teardown_again(&self, view: &SessionView) -> Result<Teardown, EngineError> {
        let runs = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.script_runs(&view.session.id)?))?;
        let is_passed = |run: &ScriptRun| run.script == TEARDOWN_SCRIPT && run.has_passed();
        let has_run = runs.iter().any(is_passed);
        Ok(match has_run && view.setup != SetupState::TornDown {
            true => Teardown::Run,
            false => Teardown::Skip,
        })
    }

    /// What a cleanup would do, and what stands in its way.
    pub(super) fn look_at(
        &self,
        repository: &Repository,
        view: SessionView,
        request: Cleanup,
    ) -> Result<CleanupPlan, EngineError> {
        let keeps_branch = request.branch == BranchChoice::Keep;
        let only_drops = keeps_branch && request.databases == DatabaseChoice::Drop;
        if !only_drops {
            require_not_deleted(&view.session)?;
        }
        let mut plan = CleanupPlan::of(view);
        let gone = match repository.find_branch(&plan.view.session.branch)? {
            None => Some(self.gone_branch(&plan.view.session, repository)?),
            Some(_) => None,
        };
        if plan.in_trash.is_some() {
            plan.look_at_branch_alone(repository, gone, request)?;
            self.look_for_deleted_work(&mut plan, repository)?;
            self.look_at_databases(&mut plan, request)?;
            // Somebody was cut off between the branch and the databases.
            if !plan.databases.is_empty() {
                let is_other = |it: &Obstacle| !matches!(it, Obstacle::NoBranch(_));
                plan.obstacles.retain(is_other);
            }
            return Ok(plan);
        }
        self.look_at_databases(&mut plan, request)?;
        match lost(repository, &plan.view.session)? {
            Some(obstacle) => plan.obstacles.push(obstacle),
            None => self.look_at_worktree(&mut plan, repository, gone, request)?,
        }
        Ok(plan)
    }

    /// What was on a branch that a cleanup deleted is recorded, and may well have landed.
    fn look_for_deleted_work(
        &self,
        plan: &mut CleanupPlan,
        repository: &Repository,
    ) -> Result<(), EngineError> {
        let session = &plan.view.session;
        if !plan.branch_is_gone {
            return Ok(());
        }
        let operations = self.operations(&session.id)?;
        let deleted = operations.iter().rev().find_map(deleted_at);
        let landed = session.landed.as_ref();
        let landed = landed.filter(|landed| deleted.is_none_or(|commit| *commit == landed.head));
        let landed = landed.map(|landed| &landed.commit);
        for commit in deleted.into_iter().chain(landed) {
            if plan.landed.is_none() && repository.commit_exists(commit)? {
                let found = landed_in(repository, commit, &bases(repository, session)?)?;
                plan.landed = found.map(|(base, by)| in_words(&base, by));
            }
        }
        Ok(())
    }

    /// The worktree is where it is recorded, or only git's own record of it is left.
    fn look_at_worktree(
        &self,
        plan: &mut CleanupPlan,
        repository: &Repository,
        gone: Option<GoneBranch>,
        request: Cleanup,
    ) -> Result<(), EngineError> {
        let worktree = match repository.worktree_at(&plan.view.session.worktree) {
            Ok(worktree) => Some(worktree).filter(|worktree| worktree.path().is_dir()),
            Err(WorktreeError::NotAWorktree(_)) => None,
            Err(error) => return Err(error.into()),
        };
        plan.look_for_work(repository, worktree.as_ref(), gone, request)?;
        if let Some(worktree) = &worktree {
            plan.directory = Some(worktree.path().to_owned());
            plan.look_at_files(worktree, request)?;
            let served = self.processes_of_servers(&plan.servers)?;
            plan.obstacles.extend(in_use(worktree.path(), &served)?);
            self.look_at_teardown(plan, request)?;
        }
        if request.branch == BranchChoice::Delete {
            plan.look_at_branch(repository)?;
        }
        Ok(())
    }

    fn look_at_teardown(
        &self,
        plan: &mut CleanupPlan,
        request: Cleanup,
    ) -> Result<(), EngineError> {
        if request.teardown == Teardown::Run {
            let repository = Some(plan.view.session.repository);
            plan.teardown = self.project_command(repository, TEARDOWN)?;
            let not_allowed = plan.teardown.as_ref().and_then(|it| self.not_allowed(it));
            plan.obstacles.extend(not_allowed);
        }
        Ok(())
    }

    fn look_at_databases(
        &self,
        plan: &mut CleanupPlan,
        request: Cleanup,
    ) -> Result<(), EngineError> {
        if request.databases == DatabaseChoice::Keep {
            return Ok(());
        }
        for (database, way) in self.ways_to_drop(&plan.view)? {
            if let WayToDrop::Command(command) = &way {
                plan.obstacles.extend(self.not_allowed(command));
            }
            plan.databases.push((database, way.end()));
        }
        Ok(())
    }

    /// What is ended before the directory goes does not stand in the way.
    fn processes_of_servers(&self, servers: &[ScriptRun]) -> Result<BTreeSet<u32>, EngineError> {
        let mut pids = BTreeSet::new();
        for run in servers {
            let marker = self.marker_of_run(run)?;
            let marked = processes_with_marker_prefix(&marker.name, &marker.value).into_iter();
            let own = marked.filter(|process| process.marker == marker);
            pids.extend(own.map(|process| process.identity.pid));
        }
        Ok(pids)
    }

    fn not_allowed(&self, command: &ProjectCommand) -> Option<Obstacle> {
        (!command.is_allowed()).then(|| Obstacle::NotAllowed {
            setting: command.setting.clone(),
            command: self.redact(&command.command),
        })
    }
}

impl CleanupPlan {
    /// Before anything was looked at.
    fn of(view: SessionView) -> Self {
        Self {
            servers: view.running_servers().cloned().collect(),
            teardown: None,
            databases: Vec::new(),
            in_trash: view.session.trash.clone(),
            directory: None,
            branch_is_gone: false,
            deletes_branch_at: None,
            landed: None,
            uncommitted: 0,
            overridden: Vec::new(),
            obstacles: Vec::new(),
            view,
        }
    }

    /// Whether the branch, and what is checked out instead of it, is part of the base.
    fn look_for_work(
        &mut self,
        repository: &Repository,
        worktree: Option<&Worktree>,
        gone: Option<GoneBranch>,
        request: Cleanup,
    ) -> Result<(), EngineError> {
        let session = &self.view.session;
        let bases = bases(repository, session)?;
        let mut obstacles = Vec::new();
        if let Some(GoneBranch { problem, way_out }) = gone {
            self.branch_is_gone = true;
            obstacles.push(Obstacle::BranchGone { problem, way_out });
        }
        if let Some(head) = repository.find_branch(&session.branch)? {
            match landed_in(repository, &head, &bases)? {
                Some((base, by)) => self.landed = Some(in_words(&base, by)),
                None => obstacles.push(unlanded(format!("`{}`", session.branch), session)),
            }
        }
        let head = worktree.and_then(|worktree| worktree.head().ok());
        let loose = head.filter(|head| head.branch() != Some(&session.branch));
        if let Some(commit) = loose.as_ref().and_then(|head| head.commit())
            && landed_in(repository, commit, &bases)?.is_none()
        {
            let what = format!("{}, which is checked out there,", commit.short());
            obstacles.push(unlanded(what, session));
        }
        self.consider(obstacles, request.unlanded, PassedOver::Unlanded);
        Ok(())
    }

    fn look_at_files(&mut self, worktree: &Worktree, request: Cleanup) -> Result<(), EngineError> {
        let is_conflicted = self.view.session.rebase.is_some();
        let mut obstacles: Vec<Obstacle> = match is_conflicted {
            true => vec![Obstacle::Conflicted],
            false => {
                let other = worktree.in_progress().map(Obstacle::InProgress);
                other.into_iter().collect()
            }
        };
        // A branch without a commit has nothing to compare with.
        if worktree.head()?.commit().is_some() && worktree.is_dirty()? {
            let paths = worktree.status()?.uncommitted();
            self.uncommitted = paths.len();
            // In the middle of a rebase there is nothing to commit by itself.
            if !is_conflicted {
                obstacles.push(Obstacle::Dirty(paths));
            }
        }
        self.consider(obstacles, request.dirty, PassedOver::Dirty);
        Ok(())
    }

    /// The worktree lies in the trash: only the branch matters, if it is to go.
    fn look_at_branch_alone(
        &mut self,
        repository: &Repository,
        gone: Option<GoneBranch>,
        request: Cleanup,
    ) -> Result<(), EngineError> {
        let is_gone = gone.is_some();
        self.look_for_work(repository, None, gone, request)?;
        if request.branch == BranchChoice::Delete && !is_gone {
            return self.look_at_branch(repository);
        }
        // Nothing goes, so nothing has to be agreed to.
        self.obstacles.clear();
        self.overridden.clear();
        if request.branch == BranchChoice::Delete {
            let branch = self.view.session.branch.clone();
            self.obstacles.push(Obstacle::NoBranch(branch));
        }
        Ok(())
    }

    fn look_at_branch(&mut self, repository: &Repository) -> Result<(), EngineError> {
        let session = &self.view.session;
        self.deletes_branch_at = repository.find_branch(&session.branch)?;
        let place = repository.branch_place(&session.branch)?;
        let elsewhere = place
            .checkouts
            .iter()
            .map(|checkout| checkout.worktree.path())
            .find(|path| *path != session.worktree);
        if let Some(place) = elsewhere {
            self.obstacles.push(Obstacle::CheckedOutElsewhere {
                branch: session.branch.clone(),
                place: place.to_owned(),
            });
        }
        Ok(())
    }

    /// Obstacles that a person may pass over are recorded when that happens.
    fn consider(&mut self, obstacles: Vec<Obstacle>, consent: Consent, what: PassedOver) {
        match consent {
            Consent::Missing => self.obstacles.extend(obstacles),
            Consent::Given if !obstacles.is_empty() => self.overridden.push(what),
            Consent::Given => {}
        }
    }
}

/// Where the branch was that a cleanup deleted.
fn deleted_at(operation: &Operation) -> Option<&CommitId> {
    let branch = match &operation.change {
        Change::Trash {
            into: true, branch, ..
        } => branch.as_ref(),
        Change::TrashedBranch {
            deleted: true,
            branch,
            ..
        } => Some(branch),
        _ => None,
    };
    branch
        .filter(|_| operation.state == OperationState::Done)
        .map(|branch| &branch.commit)
}

/// Where the worktree went, if it is not where it is recorded and git knows better.
fn lost(repository: &Repository, session: &Session) -> Result<Option<Obstacle>, EngineError> {
    if session.worktree.join(".git").exists() {
        return Ok(None);
    }
    let known = repository.list_worktrees()?;
    if known.iter().any(|entry| entry.path == session.worktree) || session.worktree.is_dir() {
        return Ok(None);
    }
    Ok(Some(match moved_to(repository, session)? {
        Some(to) => Obstacle::Moved {
            from: session.worktree.clone(),
            to,
        },
        None => Obstacle::Gone(session.branch.clone()),
    }))
}

/// Where the base stands: here, and on every remote as it was seen last.
fn bases(
    repository: &Repository,
    session: &Session,
) -> Result<Vec<(String, CommitId)>, EngineError> {
    let landed = session.landed.as_ref().map(|landed| landed.into.clone());
    let names: BTreeSet<BranchName> = [session.base_branch.clone()]
        .into_iter()
        .chain(landed)
        .collect();
    let mut bases = Vec::new();
    for name in names {
        if let Some(commit) = repository.find_branch(&name)? {
            bases.push((name.to_string(), commit));
        }
        for (remote, commit) in repository.seen_on_remotes(&name)? {
            bases.push((format!("{remote}/{name}"), commit));
        }
    }
    bases.retain(|(name, _)| *name != session.branch.as_str());
    Ok(bases)
}

fn landed_in(
    repository: &Repository,
    commit: &CommitId,
    bases: &[(String, CommitId)],
) -> Result<Option<(String, LandedBy)>, EngineError> {
    for (name, base) in bases {
        if let Some(by) = repository.landed(commit, base)? {
            return Ok(Some((name.clone(), by)));
        }
    }
    Ok(None)
}

fn in_words(base: &str, by: LandedBy) -> String {
    match by {
        LandedBy::SameCommit => format!("{base} is at the same commit"),
        LandedBy::Ancestor => format!("{base} contains it"),
        LandedBy::SameTree => format!("{base} has the same files"),
        LandedBy::SamePatches => format!("{base} has a commit for each of its changes"),
        LandedBy::SquashedPatch => format!("{base} has one commit with all of its changes"),
        LandedBy::NothingToMerge => format!("merging it into {base} would change nothing"),
    }
}

fn unlanded(what: String, session: &Session) -> Obstacle {
    let base = format!("`{}`", session.base_name());
    Obstacle::Unlanded { what, base }
}

/// Systems that do not tell who uses a directory do not keep anybody from cleaning up.
pub(in crate::landing) fn in_use(
    directory: &Path,
    served: &BTreeSet<u32>,
) -> Result<Option<Obstacle>, EngineError> {
    let mut users = match processes_using(directory) {
        Err(orchestra_process::ProcessError::Unsupported { .. }) => Vec::new(),
        users => users?,
    };
    users.retain(|user| !served.contains(&user.pid));
    Ok((!users.is_empty()).then_some(Obstacle::InUse(users)))
}
