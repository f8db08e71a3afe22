//! Repositories and their worktrees as wire types.

use std::path::Path;

use orchestra_api::{
    BaseBranch, InitProposal, ProposedAgent, ProposedCommand, ProposedValue, Repository,
    RepositoryDetail, RepositoryList, Worktree, WorktreeList,
};
use orchestra_config::repository_file;
use orchestra_core::Timestamp;
use orchestra_engine::{
    Base, BaseSource, CountedRepository, Engine, EngineError, Fetched, Proposed, Relation,
    WorktreeRow,
};

use crate::agent::login_word;
use crate::base_note;

/// What an agent is asked to do in a worktree that becomes a session.
pub const CONTINUE: &str = "Continue the work on this branch.";

/// Every repository that is known.
pub fn list(engine: &Engine) -> Result<RepositoryList, EngineError> {
    let seq = engine.last_seq()?;
    let known = engine.counted_repositories()?;
    Ok(RepositoryList {
        seq,
        repositories: known.iter().map(counted).collect(),
    })
}

/// The repository that a directory belongs to.
pub fn detail(engine: &Engine, path: &Path) -> Result<RepositoryDetail, EngineError> {
    let seq = engine.last_seq()?;
    let look = engine.look_at_repository(path)?;
    Ok(RepositoryDetail {
        seq,
        known: look.known.as_ref().map(counted),
        moved_from: look.moved.map(|moved| moved.repository.root),
        has_settings: repository_file(&look.root).exists(),
        root: look.root,
        current_branch: look.current.map(String::from),
        default_base: look.default_base.to_string(),
        bases: look.bases.iter().map(base).collect(),
        branches: look.branches.into_iter().map(String::from).collect(),
    })
}

/// The worktrees of the repository that a directory belongs to.
pub fn worktrees(engine: &Engine, path: &Path) -> Result<WorktreeList, EngineError> {
    let seq = engine.last_seq()?;
    let rows = engine.worktrees(path)?;
    Ok(WorktreeList {
        seq,
        worktrees: rows.iter().map(worktree).collect(),
    })
}

/// What was found in a repository, and what is proposed for it.
pub fn init(proposal: &orchestra_engine::InitProposal) -> InitProposal {
    let environment = &proposal.environment;
    let lockfiles = proposal.lockfiles.iter();
    InitProposal {
        root: proposal.root.clone(),
        file: proposal.file.clone(),
        exists: proposal.exists,
        content: proposal.content.clone(),
        test: proposal.test.as_ref().map(|test| ProposedCommand {
            command: test.command.clone(),
            why: test.why.clone(),
        }),
        setup: environment.setup.as_ref().map(proposed),
        reuse: environment.reuse.iter().map(proposed).collect(),
        dev: environment.dev.as_ref().map(proposed),
        env_files: environment.env_files.clone(),
        lockfiles: lockfiles.map(|lockfile| lockfile.path()).collect(),
        agents: proposal
            .agents
            .iter()
            .map(|agent| ProposedAgent {
                name: agent.name.clone(),
                program: agent.program.clone(),
                login: login_word(agent.login),
            })
            .collect(),
    }
}

fn counted(counted: &CountedRepository) -> Repository {
    Repository {
        root: counted.repository.root.clone(),
        exists: counted.repository.root.exists(),
        sessions: counted.sessions,
        archived_sessions: counted.archived,
        last_run: counted.last_run,
    }
}

fn base(base: &Base) -> BaseBranch {
    let (ahead, behind) = match base.relation {
        Relation::NoRemote | Relation::OnlyRemote => (None, None),
        Relation::UpToDate => (Some(0), Some(0)),
        Relation::Ahead(ahead) => (Some(ahead), Some(0)),
        Relation::Behind(behind) => (Some(0), Some(behind)),
        Relation::Diverged { ahead, behind } => (Some(ahead), Some(behind)),
    };
    let fetched_at = match &base.fetched {
        Fetched::Before { last, .. } => last.and_then(|last| Timestamp::try_from(last).ok()),
        Fetched::NoRemote | Fetched::Now => None,
    };
    BaseBranch {
        name: base.name.to_string(),
        commit: base.commit.to_string(),
        is_remote: base.used == BaseSource::Remote,
        ahead,
        behind,
        fetched_at,
        note: base_note::note(base),
    }
}

fn worktree(row: &WorktreeRow) -> Worktree {
    Worktree {
        path: row.entry.path.clone(),
        branch: row.entry.branch.clone(),
        head: row.entry.head.as_ref().map(ToString::to_string),
        session_id: row.session.as_ref().map(|(id, _)| id.clone()),
        session_name: row.session.as_ref().map(|(_, name)| name.to_string()),
        prunable: row.entry.prunable.clone(),
    }
}

fn proposed(proposed: &Proposed) -> ProposedValue {
    ProposedValue {
        value: proposed.value.clone(),
        why: proposed.why.clone(),
    }
}
