//! What sessions of a repository may want for themselves, by its files: dependencies, settings of the machine, a dev server.

use std::fs;
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
    let root = repository.root();
    let chosen = of_each_language(root, lockfiles);
    let reuse = reuse(repository, &chosen)?;
    let chosen: Vec<Lockfile> = chosen
        .into_iter()
        .map(|lockfile| lockfile.beside(&reuse))
        .collect();
    Ok(ProposedEnvironment {
        setup: setup(&chosen),
        reuse,
        env_files: env_files(repository)?,
        dev: dev(root, &chosen),
    })
}

fn setup(chosen: &[Lockfile]) -> Option<Proposed> {
    // Each begins at the top again.
    let command = |lockfile: &Lockfile| match lockfile.directory {
        Some(_) => format!("({})", lockfile.there(lockfile.setup)),
        None => lockfile.setup.to_owned(),
    };
    let commands: Vec<_> = chosen.iter().map(command).collect();
    let reasons: Vec<_> = chosen
        .iter()
        .map(|lockfile| format!("{} belongs to {}", lockfile.path(), lockfile.manager))
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
                .map(|directory| (lockfile.beside_it(directory), lockfile.manager))
        })
        .collect();
    let directories: Vec<_> = wanted
        .iter()
        .map(|(directory, _)| Path::new(directory.as_str()))
        .collect();
    let worktree = repository.worktree_at(repository.root())?;
    let ignored = or_nothing(worktree.would_ignore(&directories))?;
    let is_ignored = |directory: &str| ignored.iter().any(|path| path == Path::new(directory));
    Ok(wanted
        .into_iter()
        .filter(|(directory, _)| is_ignored(directory))
        .map(|(directory, manager)| Proposed {
            why: format!("git ignores {directory}, where {manager} puts what it fetches or builds"),
            value: directory,
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

/// The script of the package at the top, else of the first directory that has one.
fn dev(root: &Path, chosen: &[Lockfile]) -> Option<Proposed> {
    let is_of_package = |lockfile: &&Lockfile| lockfile.language == Language::JavaScript;
    let mut of_packages = chosen.iter().filter(is_of_package);
    let has_dev = |place: &Path| PackageJson::read(place).has_script("dev");
    let why = |package: &str| format!("{package} has a script `dev`");
    if has_dev(root) {
        let top = of_packages.find(|lockfile| lockfile.directory.is_none());
        let manager = top.map_or("npm", |lockfile| lockfile.manager);
        return Some(Proposed {
            value: format!("{manager} run dev"),
            why: why("package.json"),
        });
    }
    let lockfile = of_packages.find(|lockfile| has_dev(&lockfile.place(root)))?;
    Some(Proposed {
        value: lockfile.there(&format!("{} run dev", lockfile.manager)),
        why: why(&lockfile.beside_it("package.json")),
    })
}

/// Directories at the top that belong to the repository, by name: neither hidden nor ignored, nor repositories of their own.
/// Names that a shell would read otherwise are not proposed to one.
pub(super) fn directories(repository: &Repository) -> Result<Vec<String>, EngineError> {
    let root = repository.root();
    let io = |source| EngineError::io(format!("read {}", root.display()), source);
    let mut names = Vec::new();
    for entry in fs::read_dir(root).map_err(io)? {
        let entry = entry.map_err(io)?;
        let is_directory = entry.file_type().map_err(io)?.is_dir();
        let name = entry.file_name().into_string().ok();
        names.extend(name.filter(|name| is_directory && is_plain(name)));
    }
    names.sort();
    names.retain(|name| !root.join(name).join(".git").exists());
    let paths: Vec<&Path> = names.iter().map(Path::new).collect();
    let worktree = repository.worktree_at(root)?;
    let ignored = or_nothing(worktree.would_ignore(&paths))?;
    names.retain(|name| !ignored.iter().any(|path| path == Path::new(name)));
    Ok(names)
}

fn is_plain(name: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
    !name.starts_with(['.', '-']) && name.chars().all(is_plain)
}

/// A repository without a commit ignores nothing yet, as far as git can be asked.
fn or_nothing<T>(found: Result<Vec<T>, GitError>) -> Result<Vec<T>, GitError> {
    match found {
        Err(GitError::NoSuchRevision(_)) => Ok(Vec::new()),
        found => found,
    }
}
