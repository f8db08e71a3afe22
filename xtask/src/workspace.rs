//! The workspace as cargo describes it: where things are, and what is in it.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{Metadata, MetadataCommand, Package, TargetKind};

use crate::failure::Failure;

/// The crates whose binaries users get. `fake-amp` is the demo agent.
const SHIPPED: [&str; 2] = ["orchestra-cli", "orchestra-testkit"];
/// The binaries of these that only tests need.
const FOR_TESTS: [&str; 2] = ["fake-desktop", "small-web"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    Debug,
    Release,
}

#[derive(Debug)]
pub(crate) struct Workspace {
    metadata: Metadata,
}

impl Workspace {
    pub(crate) fn load() -> Result<Self, Failure> {
        let metadata = MetadataCommand::new().no_deps().exec();
        let metadata =
            metadata.map_err(|error| Failure::new("cannot read the workspace").because(error))?;
        Ok(Self { metadata })
    }

    pub(crate) fn root(&self) -> &Path {
        self.metadata.workspace_root.as_std_path()
    }

    /// Cargo's target directory.
    pub(crate) fn target(&self) -> &Path {
        self.metadata.target_directory.as_std_path()
    }

    /// The members of the workspace.
    pub(crate) fn packages(&self) -> &[Package] {
        &self.metadata.packages
    }

    /// Cargo, in the root of the workspace.
    pub(crate) fn cargo<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(program);
        command.current_dir(self.root()).args(arguments);
        command
    }

    /// Cargo, building the binaries that users get.
    pub(crate) fn build_shipped(&self, profile: Profile) -> Command {
        let mut command = self.cargo(["build", "--bins"]);
        for package in SHIPPED {
            command.args(["--package", package]);
        }
        if profile == Profile::Release {
            command.arg("--release");
        }
        command
    }

    /// The names of the binaries that users get.
    pub(crate) fn shipped_binaries(&self) -> Vec<&str> {
        let shipped = |package: &&Package| SHIPPED.contains(&package.name.as_str());
        let targets = self
            .packages()
            .iter()
            .filter(shipped)
            .flat_map(|package| &package.targets);
        targets
            .filter(|target| target.kind.contains(&TargetKind::Bin))
            .map(|target| target.name.as_str())
            .filter(|name| !FOR_TESTS.contains(name))
            .collect()
    }

    /// The directory a profile's binaries are in.
    pub(crate) fn binaries(&self, profile: Profile) -> PathBuf {
        self.target().join(match profile {
            Profile::Debug => "debug",
            Profile::Release => "release",
        })
    }

    pub(crate) fn binary(&self, profile: Profile, name: &str) -> PathBuf {
        self.binaries(profile).join(format!("{name}{EXE_SUFFIX}"))
    }
}
