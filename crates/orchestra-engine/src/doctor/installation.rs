//! What every session depends on: git, the database, the data directory, logs and agents.

use std::fs;
use std::path::Path;

use orchestra_agents::Login;
use orchestra_config::{DataDirs, Environment, child_env};
use orchestra_git::Git;

use super::writable::require_writable;
use super::{Diagnosis, Health};
use crate::data::make_private;
use crate::{Engine, EngineError};

impl Engine {
    pub(super) fn check_git(&self) -> Diagnosis {
        git_check(self.git().as_ref().copied())
    }

    pub(super) fn check_database(&self) -> Diagnosis {
        let path = self.store.path();
        // In the data directory, the row of that tells.
        let elsewhere = path.parent().filter(|parent| *parent != self.dirs.root());
        if let Some(Err(error)) = elsewhere.map(require_writable) {
            return Diagnosis::bad("database", &error);
        }
        match self.store.check_integrity() {
            Ok(problems) if problems.is_empty() => {
                Diagnosis::new("database", Health::Good, path.display().to_string())
            }
            Ok(problems) => Diagnosis::new("database", Health::Bad, problems.join("; "))
                .hint("keep a copy of the data directory and run `orchestra doctor --fix`"),
            Err(error) => Diagnosis::bad("database", &error.into()),
        }
    }

    pub(super) fn check_agents(&self) -> Vec<Diagnosis> {
        let report = |agent: crate::AgentReport| {
            let name = format!("agent {}", agent.name);
            match (agent.program, agent.login) {
                (None, _) => Diagnosis::new(&name, Health::Note, "not installed"),
                (Some(program), Login::Missing) => Diagnosis::new(
                    &name,
                    Health::Note,
                    format!("{}, not logged in", program.display()),
                )
                .hint(agent.login_hint),
                (Some(program), _) => {
                    Diagnosis::new(&name, Health::Good, program.display().to_string())
                }
            }
        };
        self.agents().into_iter().map(report).collect()
    }

    /// Whether the data directory is for its owner alone, down to what we write in it.
    pub(super) fn check_private(&self, fix: bool) -> Diagnosis {
        let row = check_data_directory(self.dirs.root(), fix);
        let name = "data directory";
        let root = self.dirs.root().display();
        if !matches!(row.health, Health::Good | Health::Fixed) {
            return row;
        }
        let opened = match self.open_to_others() {
            Ok(opened) => opened,
            Err(error) => return Diagnosis::bad(name, &error),
        };
        if opened.is_empty() && self.made_private().is_empty() {
            return row;
        }
        let failed = opened
            .iter()
            .filter(|_| fix)
            .find_map(|path| make_private(path).err());
        if let Some(source) = failed {
            return Diagnosis::bad(name, &EngineError::io("make it private", source));
        }
        let count = opened.len() + self.made_private().len();
        match fix || opened.is_empty() {
            true => Diagnosis::new(
                name,
                Health::Fixed,
                format!("{count} file(s) and folder(s) in {root} are for their owner alone now"),
            ),
            false => Diagnosis::new(
                name,
                Health::Note,
                format!("{count} file(s) and folder(s) in {root} are open to others, which only its own permissions keep out"),
            )
            .hint("`orchestra doctor --fix` makes them private"),
        }
    }

    /// Private git directories that killed processes left. Without git there are none to look for.
    pub(super) fn check_private_directories(&self, fix: bool) -> Option<Diagnosis> {
        let name = "private git directories";
        let git = self.git().ok()?;
        let count = match if fix {
            git.sweep_leftovers()
        } else {
            git.leftovers()
        } {
            Ok(left) if left.is_empty() => return None,
            Ok(left) => left.len(),
            Err(error) => return Some(Diagnosis::bad(name, &error.into())),
        };
        Some(match fix {
            true => Diagnosis::new(
                name,
                Health::Fixed,
                format!("removed {count} that nobody uses"),
            ),
            false => Diagnosis::new(name, Health::Note, format!("killed processes left {count}"))
                .hint("`orchestra doctor --fix` removes them"),
        })
    }
}

/// What can be said where no engine can be opened.
pub(super) fn check_without_engine(environment: &Environment, fix: bool) -> Vec<Diagnosis> {
    let dirs = match DataDirs::of(environment) {
        Ok(dirs) => dirs,
        Err(error) => return vec![Diagnosis::bad("data directory", &error.into())],
    };
    let variables = child_env::git_network_environment(environment);
    let variables = orchestra_git::Environment::from_variables(variables);
    let git = Git::find(None, variables, &dirs.git()).map_err(EngineError::from);
    vec![
        git_check(git.as_ref()),
        check_data_directory(dirs.root(), fix),
        check_logs(&dirs),
    ]
}

pub(super) fn check_data_directory(root: &Path, fix: bool) -> Diagnosis {
    let detail = root.display().to_string();
    let name = "data directory";
    if root.exists()
        && let Err(error) = require_writable(root)
    {
        return Diagnosis::bad(name, &error);
    }
    if !is_open_to_others(root) {
        return Diagnosis::new(name, Health::Good, detail);
    }
    let opened = format!("{detail} can be read by others");
    if !fix {
        return Diagnosis::new(name, Health::Bad, opened)
            .hint("`orchestra doctor --fix` makes it private");
    }
    match make_private(root) {
        Ok(()) => Diagnosis::new(
            name,
            Health::Fixed,
            format!("{detail} is for its owner alone"),
        ),
        Err(source) => Diagnosis::bad(name, &EngineError::io("make it private", source)),
    }
}

/// Where to look when something went wrong in the background.
pub(super) fn check_logs(dirs: &DataDirs) -> Diagnosis {
    let logs = dirs.logs();
    let detail = logs.display().to_string();
    let readable = fs::read_dir(&logs).map(|entries| entries.flatten().collect::<Vec<_>>());
    match readable {
        Ok(entries) => {
            let sizes = entries.iter().filter_map(|entry| entry.metadata().ok());
            let bytes: u64 = sizes.map(|metadata| metadata.len()).sum();
            let detail = format!("{detail}, {} KiB", bytes.div_ceil(1024));
            Diagnosis::new("logs", Health::Good, detail)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Diagnosis::new("logs", Health::Good, format!("{detail}, none yet"))
        }
        Err(error) => Diagnosis::new("logs", Health::Bad, format!("{detail}: {error}")),
    }
}

fn git_check(found: Result<&Git, &EngineError>) -> Diagnosis {
    match found {
        Ok(git) => Diagnosis::new("git", Health::Good, format!("version {}", git.version())),
        Err(error) => Diagnosis::bad("git", error),
    }
}

#[cfg(unix)]
fn is_open_to_others(directory: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(directory).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

/// Elsewhere a home directory is private by itself.
#[cfg(not(unix))]
fn is_open_to_others(_directory: &Path) -> bool {
    false
}
