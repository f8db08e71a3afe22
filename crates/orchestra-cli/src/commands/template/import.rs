//! `template import`: a file that somebody else may have written becomes a template of the user, whose script is never asked for
//! again. So it is shown first.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use orchestra_core::{Template, TemplateName, and_more, visible_line};
use orchestra_server::template::same_name;

use super::report;
use crate::Done;
use crate::ask::{self, Preset};
use crate::commands::allowed::every_line;
use crate::context::Context;
use crate::error::CliError;

/// Save a template from a file
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra template import fix-component.toml
  orchestra template import ../shop/templates/fix.toml --name shop-fix --replace

A script in it will run after each iteration of sessions that begin with the template, without
another question. So it is shown, and you are asked; --yes says that you have read it.")]
pub(crate) struct Arguments {
    /// The file, or `-` for stdin
    file: PathBuf,
    /// What it is called here [default: the name of the file]
    #[arg(long)]
    name: Option<TemplateName>,
    /// Take the place of a template with this name
    #[arg(long)]
    replace: bool,
    /// Do not ask, although it has a script
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Done {
    let text = read(context, &arguments.file)?;
    let name = match &arguments.name {
        Some(name) => name.clone(),
        None => name_of(&arguments.file)?,
    };
    let source = match is_stdin(&arguments.file) {
        true => PathBuf::from("stdin"),
        false => context.path(&arguments.file),
    };
    let read = context.engine.read_template(&name, &source, &text)?;
    if let Some(script) = &read.template.script
        && !arguments.yes
        && !confirm(context, &name, script, &read.template)?
    {
        context.printer.note("nothing was saved");
        return Ok(ExitCode::SUCCESS);
    }
    context.warn_secret("the template", &text);
    let same_name = same_name(arguments.replace);
    let saved = context.engine.import_template(read, same_name)?;
    report(context, &saved)
}

fn read(context: &Context, file: &Path) -> Result<String, CliError> {
    let text = match is_stdin(file) {
        true => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map(|_| text)
        }
        false => std::fs::read_to_string(context.path(file)),
    };
    text.map_err(|error| CliError::io(&format!("read {}", file.display()), &error))
}

fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
}

fn name_of(file: &Path) -> Result<TemplateName, CliError> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    stem.parse().map_err(|error| {
        CliError::usage(
            format!("{error}"),
            "choose a name for it: --name fix-component",
        )
    })
}

fn confirm(
    context: &Context,
    name: &TemplateName,
    script: &str,
    template: &Template,
) -> Result<bool, CliError> {
    let script = every_line("script", script);
    let question = format!(
        "Sessions that begin with the template `{name}` run its script after each iteration:\n{script}{}\nSave it?",
        beginning(template)
    );
    let answer = ask::yes_or_no(&context.printer, &question, Preset::No)?;
    answer.ok_or_else(|| {
        CliError::refused(
            "template.not_confirmed",
            format!("the template `{name}` has a script, and nobody can be asked:\n{script}"),
            "read it, and pass --yes if sessions may run it",
        )
    })
}

/// How the prompt begins, and where the sessions would be.
fn beginning(template: &Template) -> String {
    let prompt = template.prompt.as_ref().map(|prompt| {
        let lines = prompt.trim().lines().count();
        let first = visible_line(prompt.trim().lines().next().unwrap_or_default());
        match and_more(lines, 1) {
            Some(more) => format!("\n  prompt   {first} ({more} line(s))"),
            None => format!("\n  prompt   {first}"),
        }
    });
    let repository = template.repository.as_ref().map(|path| {
        let path = visible_line(&path.to_string_lossy());
        format!("\n  repository   {path}")
    });
    [prompt, repository].into_iter().flatten().collect()
}
