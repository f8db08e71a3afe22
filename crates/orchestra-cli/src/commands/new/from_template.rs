//! What a new session takes from a template.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use orchestra_core::{TemplateName, visible_line};
use orchestra_engine::{
    CreateSession, EngineError, StoredTemplate, TemplateError, TemplateOrigin, main_checkout_of,
};

use crate::args::key_value;
use crate::ask::{self, Preset};
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
    ) -> Result<(CreateSession, Vec<String>), CliError> {
        let mut warnings = self.stored.unused();
        let mut template = self.stored.template.clone();
        if wanted.script.is_none()
            && let Some(script) = &template.script
            && !self.may_run(context, script)?
        {
            warnings.push(format!(
                "the script of the repository's template is left out; take it with --script '{script}'"
            ));
            template.script = None;
        }
        Ok((wanted.or_template(&template), warnings))
    }

    /// A command of a repository was perhaps written by an agent, so a person has to agree.
    fn may_run(&self, context: &Context, script: &str) -> Result<bool, CliError> {
        if self.stored.origin == TemplateOrigin::User {
            return Ok(true);
        }
        let question = format!(
            "The template `{}` is part of the repository and wants this to run after each iteration:\n  {}\nLet it?",
            self.stored.name,
            visible_line(script)
        );
        Ok(ask::yes_or_no(&context.printer, &question, Preset::No)? == Some(true))
    }
}

fn refused(error: orchestra_core::FillError) -> CliError {
    CliError::from(EngineError::from(TemplateError::from(error)))
}
