//! The engine: one handle over store, settings, git, leases and slots. Every face opens one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use orchestra_config::{
    ConfigError, DataDirs, Environment, Resolved, Settings, Sources, child_env, variables,
};
use orchestra_core::Timestamp;
use orchestra_core::redact::Redactor;
use orchestra_git::Git;
use orchestra_process::{Guardian, SandboxLayers};
use orchestra_store::{Durability, Store, Tx};

use crate::agent::vain_settings;
use crate::data::require_own;
use crate::doctor::require_not_lost;
use crate::failpoint::Failpoints;
use crate::lease::Leases;
use crate::project_commands::Consented;
use crate::prompt_file::remove_abandoned;
use crate::runtime::AgentPlace;
use crate::slots::Slots;
use crate::{Clock, EngineError, Grant};

/// What the engine is opened with.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The variables the program was started with.
    pub environment: Environment,
    /// The repository whose settings apply, by the top directory of its main checkout.
    pub repository: Option<PathBuf>,
    /// Settings given on the command line.
    pub flags: Vec<(String, String)>,
    /// This program, started again as runner and guardian.
    pub program: PathBuf,
    /// The time.
    pub clock: Clock,
}

impl OpenOptions {
    fn sources(&self) -> Sources {
        Sources {
            environment: self.environment.clone(),
            repository: self.repository.clone(),
            flags: self.flags.clone(),
        }
    }
}

/// One engine under every face.
#[derive(Debug)]
pub struct Engine {
    pub(crate) store: Store,
    pub(crate) resolved: Resolved,
    pub(crate) environment: Environment,
    pub(crate) dirs: DataDirs,
    pub(crate) redactor: Redactor,
    pub(crate) clock: Clock,
    pub(crate) leases: Leases,
    /// Held by the guardians of servers.
    pub(crate) guards: Leases,
    pub(crate) slots: Slots,
    pub(crate) failpoints: Failpoints,
    pub(crate) program: PathBuf,
    /// Settings of the command line, handed on to runners.
    pub(crate) flags: Vec<(String, String)>,
    /// The repository whose settings apply.
    pub(crate) repository: Option<PathBuf>,
    /// What the environment of a session changes for its agent.
    pub(crate) place: AgentPlace,
    /// Commands that the user agreed to in this process, which are recorded when they run.
    pub(crate) consented: Mutex<Vec<Consented>>,
    /// What others could read until now.
    pub(crate) made_private: Vec<PathBuf>,
    /// Who acts, if not the user, and what is granted.
    pub(crate) grant: Option<Grant>,
    /// What this machine has to hold agents, once it was tried.
    pub(crate) sandbox: OnceLock<SandboxLayers>,
    git: OnceLock<Git>,
}

impl Engine {
    /// Opens the data directory and the store, creating them if needed.
    ///
    /// # Errors
    /// If the settings are invalid, or the data directory or the database cannot be used.
    pub fn open(options: OpenOptions) -> Result<Self, EngineError> {
        Self::open_with(options, orchestra_config::load, make_store)
    }

    /// The same for somebody who only looks: where nothing was ever kept, nothing is made, and mistakes in settings are
    /// told and left out.
    ///
    /// # Errors
    /// As [`Engine::open`].
    pub fn open_to_look(options: OpenOptions) -> Result<Self, EngineError> {
        Self::open_with(options, orchestra_config::load_to_look, |dirs, database| {
            if dirs.root().exists() || database.exists() {
                return make_store(dirs, database);
            }
            dirs.require_home()?;
            Ok(Store::nowhere(&random_hex()?)?)
        })
    }

    /// The same for somebody who asks nothing of the database.
    pub(crate) fn open_without_database(options: OpenOptions) -> Result<Self, EngineError> {
        Self::open_with(options, orchestra_config::load, |_, _| {
            Ok(Store::nowhere(&random_hex()?)?)
        })
    }

    fn open_with(
        options: OpenOptions,
        load: impl FnOnce(&Sources) -> Result<Resolved, ConfigError>,
        open_store: impl FnOnce(&DataDirs, &Path) -> Result<Store, EngineError>,
    ) -> Result<Self, EngineError> {
        let mut resolved = load(&options.sources())?;
        let vain = vain_settings(&resolved);
        resolved.warnings.extend(vain);
        let dirs = DataDirs::of(&options.environment)?;
        let settings = &resolved.settings;
        let made_private = match dirs.root().exists() {
            true => require_own(dirs.root())?,
            false => Vec::new(),
        };
        let store = open_store(&dirs, &settings.core.database_path)?;
        let redactor = build_redactor(&[&options.environment], settings)?;
        let most_sessions = settings.core.max_concurrent_sessions as usize;
        Ok(Self {
            store,
            resolved,
            redactor,
            clock: options.clock,
            leases: Leases::new(dirs.leases()),
            guards: Leases::new(dirs.guards()),
            slots: Slots::new(dirs.slots(), most_sessions),
            failpoints: Failpoints::armed_at(armed_failpoint(&options.environment)),
            dirs,
            environment: options.environment,
            program: options.program,
            flags: options.flags,
            repository: options.repository,
            place: AgentPlace::default(),
            consented: Mutex::default(),
            made_private,
            grant: None,
            sandbox: OnceLock::new(),
            git: OnceLock::new(),
        })
    }

    /// Another engine over the same data, with the settings of a repository.
    pub(crate) fn with_settings_of(&self, root: &Path) -> Result<Self, EngineError> {
        Self::open(OpenOptions {
            environment: self.environment.clone(),
            repository: Some(root.to_owned()),
            flags: self.flags.clone(),
            program: self.program.clone(),
            clock: self.clock,
        })
    }

    /// What the settings are read from.
    #[must_use]
    pub fn settings_sources(&self) -> Sources {
        Sources {
            environment: self.environment.clone(),
            repository: self.repository.clone(),
            flags: self.flags.clone(),
        }
    }

    /// The settings in force, with their origins and warnings.
    #[must_use]
    pub fn settings(&self) -> &Resolved {
        &self.resolved
    }

    /// The variables the program was started with.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Where data lives.
    #[must_use]
    pub fn dirs(&self) -> &DataDirs {
        &self.dirs
    }

    /// The git program, found and asked for its version when it is needed first.
    ///
    /// # Errors
    /// If git is missing or too old.
    pub fn git(&self) -> Result<&Git, EngineError> {
        if let Some(git) = self.git.get() {
            return Ok(git);
        }
        let environment = orchestra_git::Environment::from_variables(
            child_env::git_network_environment(&self.environment),
        );
        let git = Git::find(None, environment, &self.dirs.git())?;
        Ok(self.git.get_or_init(|| git))
    }

    /// Removes secrets from text that is about to be kept or shown.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }

    /// Knows the secrets of the environment and the settings.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// A number that changes whenever another process wrote to the store.
    ///
    /// # Errors
    /// If the store cannot tell.
    pub fn data_version(&self) -> Result<i64, EngineError> {
        Ok(self.store.data_version()?)
    }

    pub(crate) fn config(&self) -> &Settings {
        &self.resolved.settings
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Changes that must survive a power cut.
    pub(crate) fn write<T>(
        &self,
        writing: impl FnOnce(&Tx<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.store.write(Durability::State, self.now(), writing)
    }

    /// Changes that lose no work if a power cut takes them.
    pub(crate) fn write_stream<T>(
        &self,
        writing: impl FnOnce(&Tx<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.store.write(Durability::Stream, self.now(), writing)
    }

    /// What also knows the secrets of a process that somebody else started.
    pub(crate) fn redactor_with(
        &self,
        told: &[(OsString, OsString)],
    ) -> Result<Redactor, EngineError> {
        let told = told.iter().cloned().collect();
        build_redactor(&[&self.environment, &told], self.config())
    }

    pub(crate) fn guardian(&self) -> Guardian {
        Guardian {
            program: self.program.clone(),
            args: vec![GUARDIAN_MODE.into()],
        }
    }

    /// Waits until another process wrote to the store, or the time is over.
    ///
    /// # Errors
    /// If the store cannot tell.
    pub fn wait_for_change(&self, since: i64, longest: Duration) -> Result<i64, EngineError> {
        const STEP: Duration = Duration::from_millis(10);
        let mut waited = Duration::ZERO;
        loop {
            let version = self.data_version()?;
            if version != since || waited >= longest {
                return Ok(version);
            }
            std::thread::sleep(STEP);
            waited += STEP;
        }
    }
}

/// The hidden argument that starts the program as a guardian.
pub const GUARDIAN_MODE: &str = "__guardian";
/// The hidden argument that starts the program as a runner.
pub const RUNNER_MODE: &str = "__runner";
/// The hidden argument that starts the program for housekeeping.
pub const GC_MODE: &str = "__gc";
/// What a runner is told to carry: an iteration, by its number.
pub const RUN_ITERATION: &str = "iteration";
/// What a runner is told to carry: a script run, by its key.
pub const RUN_SCRIPT: &str = "script";
/// What a runner is told to take over: a server whose own died, by the key of its run.
pub const TAKE_OVER_SERVER: &str = "take-over";

fn build_redactor(
    environments: &[&Environment],
    settings: &Settings,
) -> Result<Redactor, EngineError> {
    let environments = environments.iter();
    let secrets: Vec<_> = environments
        .flat_map(|environment| child_env::secrets(environment, settings))
        .collect();
    Redactor::new(
        &secrets,
        settings.security.redact_patterns.iter().map(String::as_str),
    )
    .map_err(|error| EngineError::Invalid {
        problem: error.to_string(),
        way_out: error.hint(),
    })
}

fn armed_failpoint(environment: &Environment) -> Option<String> {
    let armed = environment.find(variables::ORCHESTRA_FAILPOINT)?;
    armed.to_str().map(str::to_owned)
}

fn make_store(dirs: &DataDirs, database: &Path) -> Result<Store, EngineError> {
    dirs.create()?;
    remove_abandoned(dirs);
    require_not_lost(database, dirs)?;
    let store = Store::open(database, &random_hex()?)?;
    keep_private(database)?;
    Ok(store)
}

/// The database holds prompts and transcripts: it is for its owner alone.
fn keep_private(database: &Path) -> Result<(), EngineError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(database, std::fs::Permissions::from_mode(0o600))
            .map_err(|source| EngineError::io("make the database private", source))?;
    }
    #[cfg(not(unix))]
    let _unused = database;
    Ok(())
}

pub(crate) fn random_bytes<const COUNT: usize>() -> Result<[u8; COUNT], EngineError> {
    let mut bytes = [0; COUNT];
    let failed = |error: getrandom::Error| std::io::Error::other(error.to_string());
    getrandom::fill(&mut bytes)
        .map_err(|error| EngineError::io("get random numbers", failed(error)))?;
    Ok(bytes)
}

pub(crate) fn random_hex() -> Result<String, EngineError> {
    Ok(random_bytes::<8>()?
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}
