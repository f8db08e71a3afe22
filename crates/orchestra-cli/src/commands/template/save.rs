//! `template save`: from a session, from options, or both.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use orchestra_core::{BranchName, Template, TemplateName};
use orchestra_server::template;

use super::report;
use crate::Done;
use crate::args::key_value;
use crate::commands::new::{RuntimeArguments, duration, read_prompt};
use crate::context::Context;
use crate::error::CliError;

/// Save what new sessions can begin with
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra template save fix-component --prompt \"Fix {{component}} in {{place}}\" --var place=src
  orchestra template save nightly --from login --description \"What we do every night\"
  orchestra template save review --prompt @review.md --agent amp --timeout 30m

`{{name}}` in the prompt is a variable, which `new --template <template> --var name=value` fills in.
--var here gives it a value for when nobody does. Options beat what --from says.")]
pub(crate) struct Arguments {
    /// Lower-case letters, digits, `-` and `_`
    name: TemplateName,
    /// A session (id, unique prefix or name) to take everything from
    #[arg(long, value_name = "SESSION")]
    from: Option<String>,
    /// What the agent should do, with variables: text, `@file`, or `-` for stdin
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// What a variable of the prompt is when nobody says
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = key_value)]
    variables: Vec<(String, String)>,
    /// What the template is for
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    /// A directory in the repository it is for
    #[arg(long, value_name = "PATH")]
    repo: Option<PathBuf>,
    /// The branch to start from and land on
    #[arg(long, value_name = "BRANCH")]
    base: Option<BranchName>,
    /// A command to run after each iteration
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
    script: Option<String>,
    /// The model, as the agent names it
    #[arg(long)]
    model: Option<String>,
    /// The agent; `orchestra agents list` shows those there are
    #[arg(long)]
    agent: Option<String>,
    #[command(flatten)]
    runtime: RuntimeArguments,
    /// How long one iteration may take, such as 30m; 0: no limit
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// Take the place of a template with this name
    #[arg(long)]
    replace: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Done {
    let wanted = gather(context, arguments)?;
    if let Some(prompt) = &wanted.prompt {
        context.warn_secret("the prompt", prompt);
    }
    let same_name = template::same_name(arguments.replace);
    let saved = context
        .engine
        .save_template(&arguments.name, &wanted, same_name)?;
    report(context, &saved)
}

fn gather(context: &Context, arguments: &Arguments) -> Result<Template, CliError> {
    let session = match &arguments.from {
        Some(text) => context
            .engine
            .template_of(&context.session(text)?.session.id)?,
        None => Template::default(),
    };
    let prompt = arguments.prompt.as_deref();
    let prompt = prompt.map(|given| read_prompt(context, given));
    let given = Template {
        prompt: prompt.transpose()?,
        description: arguments.description.clone(),
        repository: repository(context, arguments)?,
        base: arguments.base.clone(),
        script: arguments.script.clone(),
        model: arguments.model.clone(),
        agent: arguments.agent.clone(),
        runtime: arguments.runtime.wishes(),
        timeout: arguments.timeout,
        ..Template::default()
    };
    let defaults = arguments.variables.iter().cloned().collect();
    Ok(template::combined(given, session, defaults)?)
}

fn repository(context: &Context, arguments: &Arguments) -> Result<Option<PathBuf>, CliError> {
    let Some(given) = &arguments.repo else {
        return Ok(None);
    };
    let path = context.path(given);
    let found = orchestra_engine::main_checkout_of(&path);
    found.map(Some).ok_or_else(|| {
        CliError::usage(
            format!("{} is not in a repository", path.display()),
            "name a directory in one, or leave --repo out: the template is for all of them then",
        )
    })
}
