//! `orchestra init`: what is found in a repository, and the settings file proposed from it.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_config::dirs::repository_file;

use crate::agent::AgentReport;
use crate::{Engine, EngineError};

/// A lockfile, and what it says about the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lockfile {
    /// The file.
    pub file: &'static str,
    /// The package manager.
    pub manager: &'static str,
    /// The command that runs the tests, where there is a usual one.
    pub test: &'static str,
}

const LOCKFILES: &[Lockfile] = &[
    Lockfile {
        file: "Cargo.lock",
        manager: "cargo",
        test: "cargo test",
    },
    Lockfile {
        file: "package-lock.json",
        manager: "npm",
        test: "npm test",
    },
    Lockfile {
        file: "pnpm-lock.yaml",
        manager: "pnpm",
        test: "pnpm test",
    },
    Lockfile {
        file: "yarn.lock",
        manager: "yarn",
        test: "yarn test",
    },
    Lockfile {
        file: "bun.lock",
        manager: "bun",
        test: "bun test",
    },
    Lockfile {
        file: "bun.lockb",
        manager: "bun",
        test: "bun test",
    },
    Lockfile {
        file: "uv.lock",
        manager: "uv",
        test: "uv run pytest",
    },
    Lockfile {
        file: "poetry.lock",
        manager: "poetry",
        test: "poetry run pytest",
    },
    Lockfile {
        file: "requirements.txt",
        manager: "pip",
        test: "python -m pytest",
    },
    Lockfile {
        file: "go.sum",
        manager: "go",
        test: "go test ./...",
    },
    Lockfile {
        file: "Gemfile.lock",
        manager: "bundler",
        test: "bundle exec rake test",
    },
    Lockfile {
        file: "composer.lock",
        manager: "composer",
        test: "composer test",
    },
    Lockfile {
        file: "gradle.lockfile",
        manager: "gradle",
        test: "./gradlew test",
    },
];

/// What `init` found and proposes.
#[derive(Debug, Clone)]
pub struct InitProposal {
    /// The repository.
    pub root: PathBuf,
    /// The settings file.
    pub file: PathBuf,
    /// Whether the file exists already.
    pub exists: bool,
    /// The proposed content.
    pub content: String,
    /// What was found.
    pub lockfiles: Vec<Lockfile>,
    /// Agents on this machine.
    pub agents: Vec<AgentReport>,
}

impl Engine {
    /// Looks at a repository and proposes its settings file. Nothing is written.
    ///
    /// # Errors
    /// If the path is not in a repository.
    pub fn propose_init(&self, path: &Path) -> Result<InitProposal, EngineError> {
        let opened = self.git()?.open(path)?;
        let repository = self.main_checkout(opened)?;
        let root = repository.root().to_owned();
        let lockfiles: Vec<Lockfile> = LOCKFILES
            .iter()
            .copied()
            .filter(|lockfile| root.join(lockfile.file).exists())
            .collect();
        let branch = repository.state()?.head.branch().map(ToString::to_string);
        let file = repository_file(&root);
        Ok(InitProposal {
            content: content(&lockfiles, branch.as_deref()),
            exists: file.exists(),
            agents: self.agents(),
            file,
            root,
            lockfiles,
        })
    }

    /// Writes a proposed settings file. An existing one is never replaced.
    ///
    /// # Errors
    /// If it exists or cannot be written.
    pub fn write_init(&self, proposal: &InitProposal) -> Result<(), EngineError> {
        let io = |source| EngineError::io(format!("write {}", proposal.file.display()), source);
        if let Some(directory) = proposal.file.parent() {
            fs::create_dir_all(directory).map_err(io)?;
        }
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&proposal.file)
            .map_err(io)?;
        std::io::Write::write_all(&mut file, proposal.content.as_bytes()).map_err(io)
    }
}

fn content(lockfiles: &[Lockfile], branch: Option<&str>) -> String {
    let mut text = String::from(
        "# Settings of this repository for Amp Orchestra. `orchestra config list` shows all of them.\n",
    );
    if let Some(branch) = branch.filter(|branch| *branch != "main") {
        text.push_str(&format!("\n[git]\ndefault_base_branch = \"{branch}\"\n"));
    }
    text.push_str("\n# Commands you can run in a session: `orchestra session run <session> test`.\n[scripts]\n");
    match lockfiles.first() {
        Some(lockfile) => text.push_str(&format!("test = \"{}\"\n", lockfile.test)),
        None => text.push_str("# test = \"make test\"\n"),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proposal_fits_what_was_found() {
        let cargo = LOCKFILES[0];
        let text = content(&[cargo], Some("trunk"));
        assert!(
            text.contains("default_base_branch = \"trunk\"")
                && text.contains("test = \"cargo test\""),
            "{text}"
        );
        let text = content(&[], Some("main"));
        assert!(
            !text.contains("[git]") && text.contains("# test = "),
            "{text}"
        );
    }
}
