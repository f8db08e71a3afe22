//! Looking at toolboxes without a session: what an agent would get of them.

use std::path::{Path, PathBuf};

use orchestra_agents::toolbox::require_known;
use serde_json::{Map, Value};
use tempfile::TempDir;

use super::manifest::{Manifest, RefusedFile, ShadowedFile, TOOLS};
use super::session::LOOK;
use super::{ToolError, ToolOutput};
use crate::runtime::RuntimeError;
use crate::{Engine, EngineError};

/// What an agent would get of toolboxes.
#[derive(Debug, Clone)]
pub struct ToolboxLook {
    /// The directories, in their order.
    pub toolboxes: Vec<PathBuf>,
    /// The tools.
    pub tools: Vec<ToolboxTool>,
    /// Files in all.
    pub files: usize,
    /// Files that give way to others.
    pub shadowed: Vec<ShadowedFile>,
    /// What is not taken.
    pub refused: Vec<RefusedFile>,
}

/// One tool.
#[derive(Debug, Clone)]
pub struct ToolboxTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it takes, as JSON Schema.
    pub schema: Value,
    /// Its file.
    pub file: PathBuf,
}

impl Engine {
    /// What an agent would get of these toolboxes.
    ///
    /// # Errors
    /// If they cannot be put together at all.
    pub fn look_at_toolboxes(&self, toolboxes: &[PathBuf]) -> Result<ToolboxLook, EngineError> {
        let (_folder, manifest) = self.try_toolboxes(toolboxes)?;
        Ok(look(toolboxes.to_vec(), manifest))
    }

    /// Lets one tool of these toolboxes do its work in a directory.
    ///
    /// # Errors
    /// If there is no such tool, it has no such parameter, or it gives no answer.
    pub fn run_tool(
        &self,
        toolboxes: &[PathBuf],
        name: &str,
        parameters: &Map<String, Value>,
        directory: &Path,
    ) -> Result<ToolOutput, EngineError> {
        let (folder, manifest) = self.try_toolboxes(toolboxes)?;
        let found = manifest.tools.iter();
        let tool = found
            .clone()
            .find(|tool| tool.described.name == name)
            .ok_or_else(|| RuntimeError::UnknownTool {
                name: name.to_owned(),
                known: found.map(|tool| tool.described.name.clone()).collect(),
            })?;
        require_known(&tool.described, parameters)
            .map_err(|problem| tool_failed(name, problem.into()))?;
        let runner = self.tool_runner(directory)?;
        let file = folder.path().join(TOOLS).join(&tool.file);
        let answer = runner.execute(&file, &tool.described, parameters);
        Ok(answer.map_err(|problem| tool_failed(name, problem))?)
    }

    fn try_toolboxes(&self, toolboxes: &[PathBuf]) -> Result<(TempDir, Manifest), EngineError> {
        let root = &self.config().core.runtime_toolboxes_root;
        self.create_private_dir(root)?;
        let folder = tempfile::Builder::new().prefix(LOOK).tempdir_in(root);
        let folder = folder.map_err(|source| EngineError::io("make a folder", source))?;
        let manifest = self.put_together(toolboxes, folder.path(), &[], folder.path())?;
        Ok((folder, manifest))
    }
}

fn tool_failed(name: &str, problem: ToolError) -> RuntimeError {
    RuntimeError::ToolFailed {
        name: name.to_owned(),
        problem,
    }
}

fn look(toolboxes: Vec<PathBuf>, manifest: Manifest) -> ToolboxLook {
    let tools = manifest.tools.into_iter();
    ToolboxLook {
        toolboxes,
        tools: tools
            .map(|tool| ToolboxTool {
                name: tool.described.name,
                description: tool.described.description,
                schema: tool.described.schema,
                file: tool.toolbox.join(tool.file),
            })
            .collect(),
        files: manifest.files.len(),
        shadowed: manifest.shadowed,
        refused: manifest.refused,
    }
}
