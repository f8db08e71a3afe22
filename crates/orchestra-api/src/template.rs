//! Templates on the wire.

use std::path::PathBuf;

use orchestra_core::{Budget, Isolation, TemplateName};
use serde::Serialize;
use utoipa::ToSchema;

/// Every template that can be used.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TemplateList {
    /// The newest event it includes.
    pub seq: u64,
    /// By name; of two with the same name, the first is used.
    pub templates: Vec<Template>,
    /// Files that cannot be used.
    pub damaged: Vec<DamagedTemplate>,
}

/// One template.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TemplateAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The template.
    pub template: Template,
}

/// A template that was deleted.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TemplateDeleted {
    /// The newest event it includes.
    pub seq: u64,
    /// Its name.
    pub name: TemplateName,
}

/// A template as it was written.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TemplateText {
    /// The newest event it includes.
    pub seq: u64,
    /// Its name.
    pub name: TemplateName,
    /// The text of its file.
    pub text: String,
}

/// A file that cannot be used.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DamagedTemplate {
    /// The file.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub file: PathBuf,
    /// Why.
    pub problem: String,
}

/// What new sessions can begin with; `null` where it says nothing.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Template {
    /// Its name.
    pub name: TemplateName,
    /// `user`, or `repository` for one that is part of the repository.
    pub origin: &'static str,
    /// Its file.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub file: PathBuf,
    /// What it is for.
    pub description: Option<String>,
    /// What the agent is asked to do, with variables such as `{{component}}`.
    pub prompt: Option<String>,
    /// The repository.
    #[schema(value_type = Option<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub repository: Option<PathBuf>,
    /// The branch to start from and land on.
    pub base: Option<String>,
    /// The command that runs after each iteration.
    pub script: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// The environment that the agent runs in.
    pub environment: Option<String>,
    /// The agent's mode.
    pub mode: Option<String>,
    /// What all iterations together may use.
    pub budget: Option<Budget>,
    /// What is done about an agent that leaves its worktree.
    pub isolation: Option<Isolation>,
    /// The agent's toolboxes.
    pub toolboxes: Vec<String>,
    /// The agent's MCP servers.
    pub mcp: Vec<String>,
    /// How long one iteration may take, in milliseconds; 0 means no limit.
    pub timeout_ms: Option<u64>,
    /// The variables of the prompt.
    pub variables: Vec<TemplateVariable>,
    /// Keys of the file that mean nothing.
    pub unknown_keys: Vec<String>,
}

/// A variable of a template's prompt.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TemplateVariable {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub description: Option<String>,
    /// Its value if nobody gives one; `null`: one must be given.
    pub default: Option<String>,
}

impl Template {
    /// Puts a template together from what its file says.
    #[must_use]
    pub fn new(
        name: TemplateName,
        origin: &'static str,
        file: PathBuf,
        template: orchestra_core::Template,
        unknown_keys: Vec<String>,
    ) -> Self {
        let variables = template.all_variables().into_iter();
        Self {
            name,
            origin,
            file,
            variables: variables
                .map(|(name, variable)| TemplateVariable {
                    name,
                    description: variable.description,
                    default: variable.default,
                })
                .collect(),
            description: template.description,
            prompt: template.prompt,
            repository: template.repository,
            base: template.base.map(String::from),
            script: template.script,
            model: template.model,
            agent: template.agent,
            environment: template.runtime.environment,
            mode: template.runtime.mode,
            budget: template.runtime.budget,
            isolation: template.runtime.isolation,
            toolboxes: template.runtime.toolboxes,
            mcp: template.runtime.mcp,
            timeout_ms: template
                .timeout
                .and_then(|timeout| u64::try_from(timeout.as_millis()).ok()),
            unknown_keys,
        }
    }
}
