//! What a new session takes from a template.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use orchestra_core::{TemplateName, visible_line};
use orchestra_engine::{
    Consent, CreateSession, EngineError, ProjectCommand, StoredTemplate, TemplateError,
    main_checkout_of,
};

use crate::args::key_value;
use crate::commands::allowed;
use crate::context::Context;
use crate::error::CliError;

/// The template, and what its variables are.
#[derive(Debug, Args)]
pub(crate) struct FromTemplate {
    /// A template for what is not given here; `orchestra template list` shows them
    #[arg(long, value_name = "NAME")]
    template: Option<TemplateName>,
    /// A variable of the template's prompt
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = key_value, requires = "template")]
    variables: Vec<(String, String)>,
}

/// A template that was asked for.
pub(super) struct Chosen {
    stored: StoredTemplate,
    variables: BTreeMap<String, String>,
}

impl FromTemplate {
    /// The template that was asked for, looked for where the user stands or where the session is to be.
    pub(super) fn find(
        &self,
        context: &Context,
        repo: Option<&PathBuf>,
    ) -> Result<Option<Chosen>, CliError> {
        let Some(name) = &self.template else {
            return Ok(None);
        };
        let root = match repo {
            Some(repo) => main_checkout_of(&context.path(repo)),
            None => context.root.clone(),
        };
        let stored = context.engine.template(name, root.as_deref())?;
        let variables = self.variables.iter().cloned().collect();
        stored.template.require_known(&variables).map_err(refused)?;
        Ok(Some(Chosen { stored, variables }))
    }
}

impl Chosen {
    pub(super) fn repository(&self) -> Option<PathBuf> {
        self.stored.repository().map(PathBuf::from)
    }

    /// The template's prompt with its variables filled in.
    pub(super) fn prompt(&self) -> Result<Option<String>, CliError> {
        let filled = self.stored.template.fill_prompt(&self.variables);
        filled.map_err(refused)
    }

    /// What was left open, taken from the template; and what the user should know.
    pub(super) fn complete(
        &self,
        context: &Context,
        wanted: CreateSession,
        consent: Consent,
    ) -> Result<(CreateSession, Vec<String>), CliError> {
        let mut warnings = self.stored.unused();
        let mut template = self.stored.usable();
        if wanted.script.is_none()
            && let Some(script) = self.script_not_allowed(context, consent)?
        {
            let setting = visible_line(&script.setting);
            // A stranger wrote the command: it is shown where it is allowed, and not as something to paste into a shell.
            warnings.push(format!(
                "the script of the repository's template is left out: it is not allowed yet; read it with `orchestra commands list`, then `orchestra commands allow {setting}` or --yes allows it"
            ));
            template.script = None;
        }
        Ok((wanted.or_template(&template), warnings))
    }

    /// The script, if it may not run although the user was asked.
    fn script_not_allowed(
        &self,
        context: &Context,
        consent: Consent,
    ) -> Result<Option<ProjectCommand>, CliError> {
        let repository = context.repository()?.map(|repository| repository.id);
        let script = context.engine.template_script(repository, &self.stored)?;
        let commands: Vec<ProjectCommand> = script.into_iter().collect();
        let asked = match &context.root {
            Some(root) => allowed::ask(context, root, commands, consent)?,
            None => commands,
        };
        Ok(asked.into_iter().find(|it| !it.is_allowed()))
    }
}

fn refused(error: orchestra_core::FillError) -> CliError {
    CliError::from(EngineError::from(TemplateError::from(error)))
}
