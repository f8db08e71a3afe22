//! `orchestra init`: what is found in a repository, and the settings file proposed from it.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_config::command_lines_in;
use orchestra_config::dirs::repository_file;

mod content;
mod environment;
mod lockfile;
mod package_json;
mod test_command;

pub use environment::{Proposed, ProposedEnvironment};
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
    /// What sessions may want for themselves.
    pub environment: ProposedEnvironment,
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
        let lockfiles = lockfile::find(&root, &environment::directories(&repository)?);
        let test = test_command::find(&root, &lockfiles);
        let environment = environment::propose(&repository, &lockfiles)?;
        let branch = repository.state()?.head.branch().map(ToString::to_string);
        let file = repository_file(&root);
        Ok(InitProposal {
            content: content::content(branch.as_deref(), test.as_ref(), &environment),
            test,
            environment,
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
        // Not what the file has by now: that may be another one's.
        let commands = command_lines_in(&proposal.file, &proposal.content)?;
        let written = commands
            .into_iter()
            .map(|(setting, command)| ProjectCommand {
                setting,
                command,
                permission: Permission::NotAllowed,
            });
        self.allow_commands(&proposal.root, &written.collect::<Vec<_>>())
    }
}
