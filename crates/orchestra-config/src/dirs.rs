//! Where settings and data live.

use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::error::ConfigError;
use crate::variables;

const PRODUCT: &str = "orchestra";

/// The data directory and the places in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDirs {
    root: PathBuf,
    /// The home directory it is below, unless the user named it.
    home: Option<PathBuf>,
}

impl DataDirs {
    /// The directory that `ORCHESTRA_HOME` names, or `orchestra` in the platform's directory for user data.
    ///
    /// # Errors
    /// If the variable is a relative path, or there is neither it nor a home directory.
    pub fn of(environment: &Environment) -> Result<Self, ConfigError> {
        if let Some(root) = absolute(environment, variables::ORCHESTRA_HOME)? {
            return Ok(Self::at(root));
        }
        let data = platform::data(environment).ok_or(ConfigError::NoHome)?;
        let home = environment.home().filter(|home| data.starts_with(home));
        Ok(Self {
            root: data.join(PRODUCT),
            home: home.map(Path::to_owned),
        })
    }

    /// A data directory at a known place.
    #[must_use]
    pub fn at(root: PathBuf) -> Self {
        Self { root, home: None }
    }

    /// The data directory itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The database, unless `core.database_path` says otherwise.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.root.join("orchestra.db")
    }

    /// The key of the marks that tell the same use of a tool again.
    #[must_use]
    pub fn permission_key(&self) -> PathBuf {
        self.root.join("permission.key")
    }

    /// Lock files of running sessions.
    #[must_use]
    pub fn leases(&self) -> PathBuf {
        self.root.join("leases")
    }

    /// Guardians of servers: a lock file each, and the place where one is met that lost its runner.
    #[must_use]
    pub fn guards(&self) -> PathBuf {
        self.root.join("guards")
    }

    /// Lock files that limit how many agents run at once.
    #[must_use]
    pub fn slots(&self) -> PathBuf {
        self.root.join("slots")
    }

    /// Output of agents and scripts.
    #[must_use]
    pub fn output(&self) -> PathBuf {
        self.root.join("output")
    }

    /// What was kept before something risky, and can be brought back.
    #[must_use]
    pub fn snapshots(&self) -> PathBuf {
        self.root.join("snapshots")
    }

    /// The product's own logs.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// What the processes that carry a session's iterations and scripts had to say.
    #[must_use]
    pub fn runner_log(&self, session: &str) -> PathBuf {
        self.logs().join(format!("runner-{session}.log"))
    }

    /// What the housekeeping in the background had to say.
    #[must_use]
    pub fn gc_log(&self) -> PathBuf {
        self.logs().join("gc.log")
    }

    /// Git directories of agents that work in a sandbox.
    #[must_use]
    pub fn workspaces(&self) -> PathBuf {
        self.root.join("workspaces")
    }

    /// Private git directories and per-repository locks.
    #[must_use]
    pub fn git(&self) -> PathBuf {
        self.root.join("git")
    }

    /// Toolboxes, unless `core.runtime_toolboxes_root` says otherwise.
    #[must_use]
    pub fn toolboxes(&self) -> PathBuf {
        self.root.join("toolboxes")
    }

    /// What sessions have for themselves outside of their worktrees: caches, and databases that are files.
    #[must_use]
    pub fn environments(&self) -> PathBuf {
        self.root.join("environments")
    }

    /// Prompts that are written in an editor now.
    #[must_use]
    pub fn editing(&self) -> PathBuf {
        self.root.join("editing")
    }

    /// Prompts whose session could not be made.
    #[must_use]
    pub fn prompts(&self) -> PathBuf {
        self.root.join("prompts")
    }

    /// Templates of the user.
    #[must_use]
    pub fn templates(&self) -> PathBuf {
        self.root.join("templates")
    }

    /// Accounts of services often name a home that nobody made; making it is not for us.
    ///
    /// # Errors
    /// If the directory would be below such a home.
    pub fn require_home(&self) -> Result<(), ConfigError> {
        match self.home.as_ref().is_some_and(|home| !home.is_dir()) {
            true => Err(ConfigError::NoHome),
            false => Ok(()),
        }
    }

    /// Makes the directories that are missing, for the user alone. What exists keeps its permissions.
    ///
    /// # Errors
    /// If one of them cannot be made.
    pub fn create(&self) -> Result<(), ConfigError> {
        self.require_home()?;
        let inner = [
            self.leases(),
            self.slots(),
            self.output(),
            self.logs(),
            self.git(),
        ];
        for directory in [self.root.clone()].into_iter().chain(inner) {
            create_private(&directory)
                .map_err(|source| ConfigError::Uncreatable { directory, source })?;
        }
        Ok(())
    }
}

/// The user's settings file, whether or not it exists.
///
/// # Errors
/// If `ORCHESTRA_CONFIG` is a relative path, or there is neither it nor a home directory.
pub fn user_file(environment: &Environment) -> Result<PathBuf, ConfigError> {
    if let Some(file) = absolute(environment, variables::ORCHESTRA_CONFIG)? {
        return Ok(file);
    }
    let directory = platform::config(environment).ok_or(ConfigError::NoHome)?;
    Ok(directory.join(PRODUCT).join("config.toml"))
}

/// The settings file of a repository, whether or not it exists.
#[must_use]
pub fn repository_file(repository: &Path) -> PathBuf {
    repository.join(".orchestra").join("config.toml")
}

/// The templates of a repository, whether or not there are any.
#[must_use]
pub fn repository_templates(repository: &Path) -> PathBuf {
    repository.join(".orchestra").join("templates")
}

/// The slash commands of a repository, whether or not there are any.
#[must_use]
pub fn repository_commands(repository: &Path) -> PathBuf {
    repository.join(".orchestra").join("commands")
}

/// The user's own slash commands, beside the user's settings file.
///
/// # Errors
/// As [`user_file`].
pub fn user_commands(environment: &Environment) -> Result<PathBuf, ConfigError> {
    Ok(user_file(environment)?.with_file_name("commands"))
}

/// Makes a directory and its missing parents, for the user alone.
pub(crate) fn create_private(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    platform::for_the_user_alone(&mut builder);
    builder.recursive(true).create(directory)
}

fn absolute(
    environment: &Environment,
    variable: &'static str,
) -> Result<Option<PathBuf>, ConfigError> {
    match environment.find(variable).map(PathBuf::from) {
        Some(path) if path.is_relative() => Err(ConfigError::RelativePath { variable, path }),
        found => Ok(found),
    }
}

#[cfg(unix)]
mod platform {
    use std::fs::DirBuilder;
    use std::os::unix::fs::DirBuilderExt;
    use std::path::PathBuf;

    use super::{Environment, variables};

    pub(super) fn config(environment: &Environment) -> Option<PathBuf> {
        base(environment, variables::XDG_CONFIG_HOME, ".config")
    }

    pub(super) fn data(environment: &Environment) -> Option<PathBuf> {
        base(environment, variables::XDG_DATA_HOME, ".local/share")
    }

    pub(super) fn for_the_user_alone(builder: &mut DirBuilder) {
        builder.mode(0o700);
    }

    /// The XDG rules, on macOS too: terminal tools are expected there.
    fn base(environment: &Environment, variable: &str, fallback: &str) -> Option<PathBuf> {
        let named = environment.find_absolute_path(variable);
        named.or_else(|| environment.home().map(|home| home.join(fallback)))
    }
}

#[cfg(windows)]
mod platform {
    use std::fs::DirBuilder;
    use std::path::PathBuf;

    use super::{Environment, variables};

    pub(super) fn config(environment: &Environment) -> Option<PathBuf> {
        base(environment, variables::APPDATA, r"AppData\Roaming")
    }

    pub(super) fn data(environment: &Environment) -> Option<PathBuf> {
        base(environment, variables::LOCALAPPDATA, r"AppData\Local")
    }

    /// Directories in the user's profile are private there already.
    pub(super) fn for_the_user_alone(_builder: &mut DirBuilder) {}

    fn base(environment: &Environment, variable: &str, fallback: &str) -> Option<PathBuf> {
        let named = environment.find_absolute_path(variable);
        named.or_else(|| environment.home().map(|home| home.join(fallback)))
    }
}
