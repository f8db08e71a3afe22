//! What an agent must be able to do: commit in its workspace.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Targets;
use super::escapes::own_name;
use crate::capture::{Limits, capture};
use crate::spec::CommandSpec;

const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(20),
    max_output: 64 * 1024,
};
const REFERENCE: &str = "refs/orchestra/probe";

/// Makes a commit of a new file, and a reference to it for a moment: branch, index and files stay as they are.
pub(super) fn make(targets: &Targets) -> Result<(), String> {
    let trial = Trial {
        targets,
        file: targets.workspace.join(own_name()),
        index: git_directory(&targets.workspace).join(own_name()),
    };
    let made = trial.run();
    trial.clean();
    made
}

/// Where git keeps what belongs to the workspace: `.git`, or what that file says.
fn git_directory(workspace: &Path) -> PathBuf {
    let link = workspace.join(".git");
    let text = fs::read_to_string(&link).unwrap_or_default();
    match text.trim_end().strip_prefix("gitdir: ") {
        Some(elsewhere) => workspace.join(elsewhere),
        None => link,
    }
}

struct Trial<'a> {
    targets: &'a Targets,
    file: PathBuf,
    index: PathBuf,
}

impl Trial<'_> {
    fn run(&self) -> Result<(), String> {
        fs::write(&self.file, "probe\n").map_err(|error| error.to_string())?;
        self.git(&["update-index", "--add", "--", &own_name()])?;
        let tree = self.git(&["write-tree"])?;
        let commit = self.git(&["commit-tree", "-m", "probe", &tree])?;
        self.git(&["update-ref", REFERENCE, &commit])?;
        self.git(&["update-ref", "-d", REFERENCE, &commit])?;
        Ok(())
    }

    fn git(&self, args: &[&str]) -> Result<String, String> {
        let spec = CommandSpec::new(&self.targets.git, &self.targets.workspace)
            .args([
                "-c",
                "core.hooksPath=/dev/null",
                "-c",
                "core.fsmonitor=false",
            ])
            .args(args)
            .envs(self.environment());
        let captured = capture(&spec, LIMITS).map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        match captured.exit.is_success() {
            true => Ok(text(&captured.stdout)),
            false => Err(format!(
                "git {}: {}",
                args.join(" "),
                text(&captured.stderr)
            )),
        }
    }

    fn environment(&self) -> BTreeMap<OsString, OsString> {
        let mut environment: BTreeMap<OsString, OsString> = [
            ("PATH", "/usr/bin:/bin"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_AUTHOR_NAME", "probe"),
            ("GIT_AUTHOR_EMAIL", "probe@localhost"),
            ("GIT_COMMITTER_NAME", "probe"),
            ("GIT_COMMITTER_EMAIL", "probe@localhost"),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
        environment.insert("GIT_INDEX_FILE".into(), self.index.clone().into());
        environment
    }

    /// What was not made needs no removing.
    fn clean(&self) {
        for path in [&self.file, &self.index] {
            if let Err(error) = fs::remove_file(path) {
                tracing::debug!(%error, "nothing to remove after a probe");
            }
        }
    }
}
