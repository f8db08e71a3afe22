//! What an agent in a sandbox may write and read.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use orchestra_agents::Agent;
use orchestra_config::variables::{AMP_HOME, CLAUDE_CONFIG_DIR, CODEX_HOME};
use orchestra_core::{PermissionPolicy, Session};
use orchestra_git::{Workspace, Worktree};
use orchestra_process::{Door, NetworkProxy, Replaced, Sandbox, home_secrets};

use crate::agent::ReadyAgent;
use crate::places::{OutputFiles, open_append_only};
use crate::runtime::secret;
use crate::{Engine, EngineError};

/// Caches of common tools, as far as they exist; the first one is made.
const CACHES: [&str; 7] = [
    ".cache/",
    ".npm",
    ".cargo/registry",
    ".cargo/git",
    ".gradle/caches",
    ".m2/repository",
    "go/pkg/mod",
];
/// Variables that lead an agent to a directory of its own; the last one leads the scripted agent.
const OWN_HOMES: [&str; 4] = [AMP_HOME, CODEX_HOME, CLAUDE_CONFIG_DIR, "FAKE_AMP_HOME"];
/// Leads the scripted agent to what it is to do.
const SCENARIO: &str = "FAKE_AMP_SCENARIO";
/// Places in a home directory that variables can put elsewhere.
const MOVABLE: [(&str, &str); 4] = [
    (".cache", "XDG_CACHE_HOME"),
    (".config", "XDG_CONFIG_HOME"),
    (".local/share", "XDG_DATA_HOME"),
    (".local/state", "XDG_STATE_HOME"),
];

impl Engine {
    /// The sandbox of every turn of a session, without what each of them has for itself.
    pub(crate) fn reach(
        &self,
        session: &Session,
        worktree: &Worktree,
        ready: &ReadyAgent,
        hosts: &[String],
    ) -> Result<(Sandbox, Option<NetworkProxy>), EngineError> {
        let workspace = self.workspace_of(&session.id);
        let layers = self.sandbox_layers()?;
        let socket = workspace.folder().join("proxy.sock");
        let (network, proxy) = Self::open_network(hosts, &layers, &socket)?;
        let mut writable = vec![worktree.path().to_owned(), workspace.git_dir()];
        self.make_own_places(session, ready)?;
        writable.extend(self.writable_places(session, ready));
        let settings = self.agent_settings(ready);
        let (mut inside, outside): (Vec<_>, Vec<_>) = settings
            .into_iter()
            .partition(|path| writable.iter().any(|it| path.starts_with(it)));
        inside.retain(|path| !path.is_symlink());
        let mut readable = self.readable_places(session, worktree, &workspace, ready);
        readable.extend(outside);
        let written = writable.clone();
        for places in [&mut writable, &mut readable] {
            places.retain(|place| stays_where_it_is(place, &written));
        }
        let link = Replaced {
            path: worktree.path().join(".git"),
            by: workspace.link(),
        };
        let as_they_are = inside.into_iter().map(|path| Replaced {
            by: path.clone(),
            path,
        });
        let sandbox = Sandbox {
            writable,
            hidden: self.hidden_places(worktree),
            readable,
            replaced: std::iter::once(link).chain(as_they_are).collect(),
            network,
            layers,
            helper: self.program.clone(),
        };
        Ok((sandbox, proxy))
    }

    /// Adds what one turn has for itself: the agent's log, and what it is told of tools and permissions.
    pub(crate) fn give_files_of_turn(
        sandbox: &mut Sandbox,
        files: &OutputFiles,
    ) -> Result<(), EngineError> {
        open_append_only(&files.agent_log)
            .map_err(|source| EngineError::io("make the agent's log", source))?;
        sandbox.writable.push(files.agent_log.clone());
        let told = [&files.settings, &files.hook, &files.mcp, &files.gates];
        sandbox.readable.extend(told.map(Clone::clone));
        Ok(())
    }

    /// A place for the agent to ask whether it may use a tool, if it asks by a program.
    pub(crate) fn open_door(
        &self,
        session: &Session,
        agent: &Agent,
        sandbox: &mut Sandbox,
    ) -> Result<Option<Door>, EngineError> {
        let asks = agent.asking_settings("hook".as_ref()).is_some();
        if !asks || self.permissions_of(session) == PermissionPolicy::Allow {
            return Ok(None);
        }
        let place = self.workspace_of(&session.id).folder().join("ask.sock");
        let door = Door::open(&place);
        let door = door.map_err(|source| EngineError::io("make a place to ask at", source))?;
        // A socket that is not named cannot be connected to.
        sandbox.readable.push(place);
        Ok(Some(door))
    }

    /// The agent's own directories, caches, the session's folder, and what the settings name.
    pub(crate) fn writable_places(&self, session: &Session, ready: &ReadyAgent) -> Vec<PathBuf> {
        let mut places = self.config().security.sandbox_writable.clone();
        let own = ready.agent.needs().writable.iter().chain(&CACHES);
        places.extend(own.filter_map(|place| self.in_home(place)));
        let own = OWN_HOMES.map(|name| ready.environment.get(OsStr::new(name)));
        places.extend(own.into_iter().flatten().map(PathBuf::from));
        places.push(self.folder_of(&session.id));
        places.retain(|place| place.exists());
        places
    }

    /// What is not there could not be made in the sandbox either.
    fn make_own_places(&self, session: &Session, ready: &ReadyAgent) -> Result<(), EngineError> {
        let cache = self.cache_of(&session.id);
        // An agent may have put something else there.
        if cache.symlink_metadata().is_err() {
            self.create_private_dir(&cache)?;
        }
        let own = ready.agent.needs().writable.iter().chain(&CACHES);
        let own = own.filter(|place| place.ends_with('/'));
        for directory in own.filter_map(|place| self.in_home(place)) {
            self.create_private_dir(&directory)?;
        }
        Ok(())
    }

    /// Where something of the home directory is.
    fn in_home(&self, place: &str) -> Option<PathBuf> {
        let elsewhere = MOVABLE.iter().find_map(|(usual, variable)| {
            let rest = Path::new(place).strip_prefix(usual).ok()?;
            let other = Path::new(self.environment.find(variable)?);
            other.is_absolute().then(|| other.join(rest))
        });
        elsewhere.or_else(|| Some(self.environment.home()?.join(place)))
    }

    /// What configures the agent, and could make it start programs when it is run without a sandbox.
    fn agent_settings(&self, ready: &ReadyAgent) -> Vec<PathBuf> {
        let settings = ready.agent.needs().settings.iter();
        let settings = settings.filter_map(|place| self.in_home(place));
        settings.filter(|path| path.exists()).collect()
    }

    /// The repository's configuration may have a token in the address of a remote; the workspace has one of its own.
    fn hidden_places(&self, worktree: &Worktree) -> Vec<PathBuf> {
        let settings = self.config();
        let named = settings.secret_places.iter();
        let named = named.filter_map(|place| secret::file_of(place, &self.environment));
        let mut hidden: Vec<_> = named.collect();
        hidden.extend(settings.security.sandbox_hidden.iter().cloned());
        hidden.push(worktree.repository().common_dir().join("config"));
        hidden.extend(self.environment.home().into_iter().flat_map(home_secrets));
        hidden.push(self.dirs.root().to_owned());
        let database = &settings.core.database_path;
        for end in ["", "-wal", "-shm"] {
            let mut path = database.clone().into_os_string();
            path.push(end);
            hidden.push(path.into());
        }
        hidden
    }

    /// What to tell of paths that somebody wants hidden and that are not there.
    pub(crate) fn hidden_note(&self) -> Option<String> {
        let hidden = self.config().security.sandbox_hidden.iter();
        let missing = hidden.filter(|path| path.symlink_metadata().is_err());
        let missing: Vec<_> = missing
            .map(|path| format!("`{}`", path.display()))
            .collect();
        (!missing.is_empty()).then(|| {
            let missing = missing.join(", ");
            format!(
                "security.sandbox_hidden names {missing}, where nothing is: nothing is hidden there"
            )
        })
    }

    /// What is needed though it may be in something hidden, or in a temporary directory. Some of it is made when the turn begins.
    fn readable_places(
        &self,
        session: &Session,
        worktree: &Worktree,
        workspace: &Workspace,
        ready: &ReadyAgent,
    ) -> Vec<PathBuf> {
        let repository = worktree.repository();
        let mut readable = vec![
            repository.root().to_owned(),
            repository.common_dir().to_owned(),
            workspace.folder().to_owned(),
            self.toolbox_folder(&session.id),
        ];
        readable.extend(self.environment.home().map(Path::to_owned));
        let words = ready.program.iter().map(PathBuf::from);
        let scenario = ready.environment.get(OsStr::new(SCENARIO));
        let named = words.chain(scenario.map(PathBuf::from));
        readable.extend(named.filter(|path| path.is_absolute()));
        readable
    }
}

/// What lies in a directory that an agent wrote may be a link by now, which would lead the next turn anywhere.
fn stays_where_it_is(path: &Path, written: &[PathBuf]) -> bool {
    let is_inside = |place: &&PathBuf| path.starts_with(place) && path != place.as_path();
    let mut around = written.iter().filter(is_inside);
    around.all(|place| {
        let (real, real_place) = (path.canonicalize(), place.canonicalize());
        matches!((real, real_place), (Ok(real), Ok(place)) if real.starts_with(&place))
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_that_an_agent_made_leads_nowhere() {
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| home.path().join(name);
        for folder in [".ssh", ".cache/own", "moved"] {
            fs::create_dir_all(path(folder)).unwrap();
        }
        symlink(path(".ssh"), path(".cache/evil")).unwrap();
        symlink(path(".cache/own"), path(".cache/link")).unwrap();
        symlink(path("moved"), path("go")).unwrap();
        let written = [path(".cache"), path("go")];
        let stays = |name: &str| stays_where_it_is(&path(name), &written);
        assert!(!stays(".cache/evil") && !stays(".cache/evil/id") && !stays(".cache/nothing"));
        assert!(stays(".cache") && stays(".cache/own") && stays(".cache/link"));
        assert!(stays("go"), "the user's own link");
    }
}
