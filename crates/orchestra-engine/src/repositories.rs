//! Repositories: those that are known, and what can be said of one before a session is made in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use orchestra_core::{BranchName, Session};
use orchestra_git::{Base, FetchPolicy, GitError, Repository};
use orchestra_store::CountedRepository;

use crate::moved::MovedRepository;
use crate::{Engine, EngineError};

/// Bases whose remote is looked at; more of them than this are told by name alone.
const MOST_BASES: usize = 8;

/// A repository, seen by somebody who may want a session in it.
#[derive(Debug, Clone)]
pub struct RepositoryLook {
    /// The top directory of its main checkout.
    pub root: PathBuf,
    /// What is recorded of it, once it had a session or an allowed command.
    pub known: Option<CountedRepository>,
    /// What it was before it was moved here, if that was not put right yet.
    pub moved: Option<MovedRepository>,
    /// The branch that is checked out.
    pub current: Option<BranchName>,
    /// The branch that new sessions start from.
    pub default_base: BranchName,
    /// Likely bases as they are known here: the default, the current one, those of sessions. No remote is asked.
    pub bases: Vec<Base>,
    /// Every other local branch that belongs to no session.
    pub branches: Vec<BranchName>,
}

impl Engine {
    /// Every repository that is known, by its place.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn counted_repositories(&self) -> Result<Vec<CountedRepository>, EngineError> {
        self.store.read(|tx| Ok(tx.counted_repositories()?))
    }

    /// Looks at the repository that a directory belongs to. Nothing is changed.
    ///
    /// # Errors
    /// If the directory is in no repository, or git or the store fails.
    pub fn look_at_repository(&self, path: &Path) -> Result<RepositoryLook, EngineError> {
        let repository = self.main_checkout(self.git()?.open(path)?)?;
        let root = repository.root().to_owned();
        let mut known = self.counted_repositories()?.into_iter();
        let known = known.rfind(|counted| counted.repository.root == root);
        let sessions = match &known {
            Some(known) => self.sessions_in(known.repository.id)?,
            None => Vec::new(),
        };
        let current = repository.state()?.head.branch().cloned();
        let default_base = self.usual_base(&repository, current.as_ref())?;
        let bases = likely_bases(&repository, &default_base, current.as_ref(), &sessions)?;
        Ok(RepositoryLook {
            moved: self.moved_here(&root)?,
            branches: other_branches(&repository, &bases, &sessions)?,
            root,
            known,
            current,
            default_base,
            bases,
        })
    }

    /// The base of a session that names none.
    fn usual_base(
        &self,
        repository: &Repository,
        current: Option<&BranchName>,
    ) -> Result<BranchName, EngineError> {
        let set = &self.config().git.default_base_branch;
        Ok(match current {
            Some(current) if !repository.branch_exists(set)? => current.clone(),
            _ => set.clone(),
        })
    }
}

fn likely_bases(
    repository: &Repository,
    default: &BranchName,
    current: Option<&BranchName>,
    sessions: &[Session],
) -> Result<Vec<Base>, EngineError> {
    let own: BTreeSet<_> = sessions.iter().map(|session| &session.branch).collect();
    let current = current.filter(|branch| !own.contains(branch));
    let of_sessions = sessions.iter().map(|session| &session.base_branch);
    let mut names: Vec<&BranchName> = Vec::new();
    for name in [default].into_iter().chain(current).chain(of_sessions) {
        if names.len() < MOST_BASES && !names.contains(&name) {
            names.push(name);
        }
    }
    let mut bases = Vec::new();
    for name in names {
        match repository.resolve_base(name, FetchPolicy::Never) {
            // A setting or a session may name a branch that is gone.
            Err(GitError::NoSuchBranch { .. }) => {}
            base => bases.push(base?),
        }
    }
    Ok(bases)
}

fn other_branches(
    repository: &Repository,
    bases: &[Base],
    sessions: &[Session],
) -> Result<Vec<BranchName>, EngineError> {
    let told: BTreeSet<_> = bases.iter().map(|base| &base.name).collect();
    let own: BTreeSet<_> = sessions.iter().map(|session| &session.branch).collect();
    let branches = repository.branches()?.into_iter();
    Ok(branches
        .filter(|name| !told.contains(name) && !own.contains(name))
        .collect())
}
