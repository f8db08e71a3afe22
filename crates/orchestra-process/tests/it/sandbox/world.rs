//! A repository with a main checkout and another worktree, a home with secrets, a store, and a workspace: what an engine has.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_process::{
    Bounds, CommandSpec, Marker, Network, OnLoss, ResourceLimits, Sandbox, SandboxLayer,
    SandboxLayers, Supervised, Targets, home_secrets, supervise_within,
};
use tempfile::TempDir;

use crate::support::{agent, command, directory, example, guardian, marker, pids, read};

pub(crate) const BOTH: [SandboxLayer; 2] = [SandboxLayer::Landlock, SandboxLayer::Bubblewrap];

/// These layers, or what this machine lacks is said.
#[expect(clippy::print_stdout, reason = "a test says what it did not run")]
pub(crate) fn layers(wanted: &[SandboxLayer]) -> Option<SandboxLayers> {
    let present = SandboxLayers::present(Some("/usr/bin:/bin".as_ref()));
    match present.require(wanted) {
        Ok(layers) => Some(layers),
        Err(error) => {
            println!("not run, {error}; Landlock here: {:?}", present.landlock);
            None
        }
    }
}

pub(crate) struct World {
    directory: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let world = Self {
            directory: directory(),
        };
        for directory in ["home/.ssh", "home/.docker/run", "data", "cache"] {
            fs::create_dir_all(world.path(directory)).unwrap();
        }
        for file in [
            "home/.ssh/id",
            "home/.bashrc",
            "home/.netrc",
            "data/store.db",
        ] {
            fs::write(world.path(file), "secret\n").unwrap();
        }
        world.git(".", &["init", "-q", "-b", "main", "main"]);
        world.git("main", &["commit", "-q", "--allow-empty", "-m", "first"]);
        world.git("main", &["worktree", "add", "-q", "../other"]);
        world.git(".", &["clone", "-q", "--shared", "main", "workspace"]);
        world
    }

    fn git(&self, at: &str, args: &[&str]) {
        let mut git = command(Path::new("git"));
        git.args(["-c", "user.name=t", "-c", "user.email=t@localhost"])
            .args(args)
            .current_dir(self.path(at))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("HOME", self.path("home"));
        assert!(git.status().unwrap().success());
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.directory.path().join(below)
    }

    pub(crate) fn marker(&self) -> Marker {
        marker(self.directory.path())
    }

    pub(crate) fn sandbox(&self, layers: SandboxLayers) -> Sandbox {
        let mut hidden = home_secrets(&self.path("home"));
        hidden.push(self.path("data"));
        Sandbox {
            writable: vec![self.path("workspace"), self.path("cache")],
            hidden,
            readable: vec![self.path(""), shapes()],
            replaced: Vec::new(),
            network: Network::Off,
            layers,
            helper: example("sandboxed"),
        }
    }

    pub(crate) fn targets(&self) -> Targets {
        Targets {
            workspace: self.path("workspace"),
            main_checkout: self.path("main"),
            git_directory: self.path("main/.git"),
            other_worktree: Some(self.path("other")),
            home: self.path("home"),
            secrets: home_secrets(&self.path("home")),
            store: self.path("data/store.db"),
            outside: self.path("home/.docker/run"),
            git: "/usr/bin/git".into(),
        }
    }

    pub(crate) fn shell(&self, script: &str) -> CommandSpec {
        agent(Path::new("/bin/sh"), &self.path("workspace"))
            .args(["-c", script])
            .env("HOME", self.path("home"))
    }

    pub(crate) fn start(&self, spec: &CommandSpec, sandbox: Sandbox) -> Supervised {
        self.start_limited(spec, sandbox, ResourceLimits::default())
    }

    pub(crate) fn start_limited(
        &self,
        spec: &CommandSpec,
        sandbox: Sandbox,
        limits: ResourceLimits,
    ) -> Supervised {
        let bounds = Bounds {
            limits,
            sandbox: Some(sandbox),
        };
        supervise_within(&guardian(), spec, &bounds, &self.marker(), OnLoss::End).unwrap()
    }

    /// Processes that were told about this world. Their numbers are others in there.
    pub(crate) fn left(&self) -> Vec<String> {
        let wanted = self.directory.path().to_str().unwrap();
        let others = pids().filter(|pid| *pid != std::process::id());
        let told = |pid: &u32| {
            read(*pid, "cmdline").contains(wanted) || read(*pid, "environ").contains(wanted)
        };
        others
            .filter(told)
            .map(|pid| read(pid, "cmdline").replace('\0', " "))
            .collect()
    }
}

/// Programs of the tests may lie where a sandbox has its own files.
fn shapes() -> PathBuf {
    crate::support::shape()
}
