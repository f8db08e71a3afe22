//! `template`: what new sessions begin with.

mod import;
mod save;
mod show;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use orchestra_api::TemplateDeleted;
use orchestra_core::TemplateName;
use orchestra_engine::{Consent, EditedTemplate, StoredTemplate};
use orchestra_server::template;

use crate::Done;
use crate::ask::{self, Preset};
use crate::context::Context;
use crate::error::CliError;
use crate::render::screen;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Save what new sessions can begin with
    Save(Box<save::Arguments>),
    /// The templates: yours, and those of the repository you are in
    #[command(after_help = "Example:\n  orchestra template list")]
    List,
    /// What a template says
    #[command(after_help = "Example:\n  orchestra template show fix-component")]
    Show {
        /// Its name
        name: TemplateName,
    },
    /// Change a template in your editor
    #[command(after_help = "Example:\n  orchestra template edit fix-component")]
    Edit {
        /// Its name
        name: TemplateName,
    },
    /// Delete a template of yours
    #[command(after_help = "Example:\n  orchestra template delete fix-component --yes")]
    Delete {
        /// Its name
        name: TemplateName,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Write a template to a file, or to stdout
    #[command(after_help = "\
Examples:
  orchestra template export fix-component fix-component.toml
  orchestra template export fix-component > .orchestra/templates/fix-component.toml")]
    Export {
        /// Its name
        name: TemplateName,
        /// Where to; it must not exist
        file: Option<PathBuf>,
    },
    /// Save a template from a file
    Import(import::Arguments),
}

pub(crate) fn run(context: &Context, command: &Command) -> Done {
    match command {
        Command::Save(arguments) => save::run(context, arguments),
        Command::List => show::list(context),
        Command::Show { name } => show::one(context, &find(context, name)?),
        Command::Edit { name } => edit(context, name),
        Command::Delete { name, yes } => delete(context, name, Consent::given_if(*yes)),
        Command::Export { name, file } => export(context, name, file.as_deref()),
        Command::Import(arguments) => import::run(context, arguments),
    }
}

fn find(context: &Context, name: &TemplateName) -> Result<StoredTemplate, CliError> {
    Ok(context.engine.template(name, context.root.as_deref())?)
}

fn edit(context: &Context, name: &TemplateName) -> Done {
    let root = context.root.as_deref();
    match context.engine.edit_template(name, root)? {
        EditedTemplate::Saved(saved) => report(context, &saved),
        EditedTemplate::Unchanged => {
            context.printer.note("nothing was changed");
            if context.printer.json {
                answer(context, &find(context, name)?)?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn delete(context: &Context, name: &TemplateName, consent: Consent) -> Done {
    let root = context.root.as_deref();
    let (file, _) = context.engine.own_template(name, root)?;
    if consent == Consent::Missing && !confirm(context, name)? {
        context.printer.note("nothing was deleted");
        return Ok(ExitCode::SUCCESS);
    }
    context.engine.delete_template(name, root)?;
    if context.printer.json {
        context.printer.json(&TemplateDeleted {
            seq: context.engine.last_seq()?,
            name: name.clone(),
        });
    } else {
        let file = screen::path(&file);
        context.printer.line(format!("deleted {file}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn confirm(context: &Context, name: &TemplateName) -> Result<bool, CliError> {
    let question = format!("Delete the template `{name}`? It cannot be brought back.");
    let answer = ask::yes_or_no(&context.printer, &question, Preset::No)?;
    answer.ok_or_else(|| {
        CliError::refused(
            "template.not_confirmed",
            format!("the template `{name}` could not be brought back"),
            format!(
                "pass --yes if that is what you want; `orchestra template export {name} <file>` keeps a copy"
            ),
        )
    })
}

fn export(context: &Context, name: &TemplateName, file: Option<&Path>) -> Done {
    let template = find(context, name)?;
    let Some(file) = file.map(|file| context.path(file)) else {
        return to_stdout(context, &template);
    };
    let fail = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => CliError::refused(
            "export.exists",
            format!("{} exists already", file.display()),
            "choose another file, or remove it",
        ),
        _ => CliError::io(&format!("write {}", file.display()), &error),
    };
    let mut created = File::create_new(&file).map_err(fail)?;
    created.write_all(template.text.as_bytes()).map_err(fail)?;
    if context.printer.json {
        answer(context, &template)?;
    } else {
        context.printer.line(screen::path(&file));
    }
    if let Some(repository) = template.repository() {
        context.printer.note(format!(
            "it names the repository {}; take that line out for other people",
            screen::path(repository)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn to_stdout(context: &Context, template: &StoredTemplate) -> Done {
    if context.printer.json {
        return answer(context, template);
    }
    let mut filter = screen::ScreenFilter::default();
    context
        .printer
        .foreign(&mut filter, template.text.as_bytes());
    Ok(ExitCode::SUCCESS)
}

/// Says what was saved, and how it is used.
fn report(context: &Context, saved: &StoredTemplate) -> Done {
    for warning in saved.unknown() {
        context.printer.warn(warning);
    }
    if context.printer.json {
        return answer(context, saved);
    }
    let (name, file) = (&saved.name, screen::path(&saved.file));
    context.printer.line(format!("saved {name} in {file}"));
    context.printer.note(format!(
        "\nNext:\n  {}\n  orchestra template edit {name}",
        show::use_line(saved)
    ));
    Ok(ExitCode::SUCCESS)
}

fn answer(context: &Context, stored: &StoredTemplate) -> Done {
    let answer = template::answer(&context.engine, stored)?;
    context.printer.json(&answer);
    Ok(ExitCode::SUCCESS)
}
