//! What sessions of a repository may want for themselves, by its files: dependencies, settings of the machine, a dev server.

use std::path::{Path, PathBuf};

use orchestra_core::FileGlob;
use orchestra_git::{GitError, Repository};

use super::lockfile::{Language, Lockfile, of_each_language};
use super::package_json::PackageJson;
use crate::EngineError;
use crate::copy_files::is_env_file;

/// A proposal, and what speaks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    /// A command line or a directory.
    pub value: String,
    /// What speaks for it, in words.
    pub why: String,
}

/// What sessions of a repository may want for themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProposedEnvironment {
    /// The command that makes a new worktree ready.
    pub setup: Option<Proposed>,
    /// Ignored directories that a new worktree can share.
    pub reuse: Vec<Proposed>,
    /// Ignored files with settings of this machine; only a person can say who may have them.
    pub env_files: Vec<PathBuf>,
    /// The command of the dev server.
    pub dev: Option<Proposed>,
}

pub(super) fn propose(
    repository: &Repository,
    lockfiles: &[Lockfile],
) -> Result<ProposedEnvironment, EngineError> {
    let package = PackageJson::read(repository.root());
    let chosen = of_each_language(lockfiles, &package);
    let reuse = reuse(repository, &chosen)?;
    let chosen: Vec<Lockfile> = chosen
        .into_iter()
        .map(|lockfile| lockfile.beside(&reuse))
        .collect();
    Ok(ProposedEnvironment {
        setup: setup(&chosen),
        reuse,
        env_files: env_files(repository)?,
        dev: dev(&chosen, &package),
    })
}

fn setup(chosen: &[Lockfile]) -> Option<Proposed> {
    let commands: Vec<_> = chosen.iter().map(|lockfile| lockfile.setup).collect();
    let reasons: Vec<_> = chosen
        .iter()
        .map(|lockfile| format!("{} belongs to {}", lockfile.file, lockfile.manager))
        .collect();
    (!commands.is_empty()).then(|| Proposed {
        value: commands.join(" && "),
        why: reasons.join(", "),
    })
}

/// Only what git ignores: everything else is in the worktree already, or is work.
fn reuse(repository: &Repository, chosen: &[Lockfile]) -> Result<Vec<Proposed>, EngineError> {
    let wanted: Vec<_> = chosen
        .iter()
        .flat_map(|lockfile| {
            lockfile
                .reuse
                .iter()
                .map(|directory| (*directory, lockfile.manager))
        })
        .collect();
    let directories: Vec<_> = wanted
        .iter()
        .map(|(directory, _)| Path::new(*directory))
        .collect();
    let worktree = repository.worktree_at(repository.root())?;
    let ignored = or_nothing(worktree.would_ignore(&directories))?;
    let is_ignored = |directory: &str| ignored.iter().any(|path| path == Path::new(directory));
    Ok(wanted
        .into_iter()
        .filter(|(directory, _)| is_ignored(directory))
        .map(|(directory, manager)| Proposed {
            value: directory.to_owned(),
            why: format!("git ignores {directory}, where {manager} puts what it fetches or builds"),
        })
        .collect())
}

/// Files such as `.env.local` that git ignores and that are there.
fn env_files(repository: &Repository) -> Result<Vec<PathBuf>, EngineError> {
    let worktree = repository.worktree_at(repository.root())?;
    let ignored = or_nothing(worktree.ignored())?;
    let files = ignored.into_iter().filter(|ignored| !ignored.is_directory);
    let is_pattern = |path: &PathBuf| {
        let glob = path.to_str().and_then(|text| text.parse::<FileGlob>().ok());
        glob.is_some_and(|glob| glob.matches(path))
    };
    Ok(files
        .map(|ignored| ignored.path)
        .filter(|path| is_env_file(path) && is_pattern(path))
        .collect())
}

fn dev(chosen: &[Lockfile], package: &PackageJson) -> Option<Proposed> {
    let mut of_package = chosen
        .iter()
        .filter(|lockfile| lockfile.language == Language::JavaScript);
    let manager = of_package.next().map_or("npm", |lockfile| lockfile.manager);
    package.has_script("dev").then(|| Proposed {
        value: format!("{manager} run dev"),
        why: "package.json has a script `dev`".to_owned(),
    })
}

/// A repository without a commit ignores nothing yet, as far as git can be asked.
fn or_nothing<T>(found: Result<Vec<T>, GitError>) -> Result<Vec<T>, GitError> {
    match found {
        Err(GitError::NoSuchRevision(_)) => Ok(Vec::new()),
        found => found,
    }
}
