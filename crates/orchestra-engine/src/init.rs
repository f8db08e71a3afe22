//! `orchestra init`: what is found in a repository, and the settings file proposed from it.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_config::dirs::repository_file;
use orchestra_config::{Origin, Sources};

mod lockfile;
mod test_command;

pub use lockfile::Lockfile;
pub use test_command::TestCommand;

use crate::agent::AgentReport;
use crate::project_commands::{Permission, ProjectCommand};
use crate::{Engine, EngineError};

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
    /// The command that runs the tests, if one can be told.
    pub test: Option<TestCommand>,
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
        let lockfiles = lockfile::find(&root);
        let test = test_command::find(&root, &lockfiles);
        let branch = repository.state()?.head.branch().map(ToString::to_string);
        let file = repository_file(&root);
        Ok(InitProposal {
            content: content(test.as_ref(), branch.as_deref()),
            test,
            exists: file.exists(),
            agents: self.agents(),
            file,
            root,
            lockfiles,
        })
    }

    /// Writes a proposed settings file. An existing one is never replaced. Whoever wants it written has read its commands, so
    /// they may run.
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
        std::io::Write::write_all(&mut file, proposal.content.as_bytes()).map_err(io)?;
        let resolved = orchestra_config::load(&Sources {
            environment: self.environment.clone(),
            repository: Some(proposal.root.clone()),
            flags: Vec::new(),
        })?;
        let written = resolved
            .command_lines()
            .filter(|value| matches!(value.origin, Origin::Repository(_)))
            .filter_map(|value| {
                Some(ProjectCommand {
                    setting: value.key.clone(),
                    command: value.value.clone()?,
                    permission: Permission::Missing,
                })
            });
        self.allow_commands(&proposal.root, &written.collect::<Vec<_>>())
    }
}

fn content(test: Option<&TestCommand>, branch: Option<&str>) -> String {
    let mut text = String::from(
        "# Settings of this repository for Amp Orchestra. `orchestra config list` shows all of them.\n",
    );
    if let Some(branch) = branch.filter(|branch| *branch != "main") {
        text.push_str(&format!("\n[git]\ndefault_base_branch = \"{branch}\"\n"));
    }
    text.push_str("\n# Commands you can run in a session: `orchestra session run <session> test`.\n[scripts]\n");
    match test {
        Some(test) => text.push_str(&format!("# {}\ntest = \"{}\"\n", test.why, test.command)),
        None => text.push_str("# test = \"make test\"\n"),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proposal_fits_what_was_found() {
        let cargo = TestCommand {
            command: "cargo test",
            why: "Cargo.lock belongs to cargo".to_owned(),
        };
        let text = content(Some(&cargo), Some("trunk"));
        assert!(
            text.contains("default_base_branch = \"trunk\"")
                && text.contains("# Cargo.lock belongs to cargo\ntest = \"cargo test\""),
            "{text}"
        );
        let text = content(None, Some("main"));
        assert!(
            !text.contains("[git]") && text.contains("# test = "),
            "{text}"
        );
    }
}
