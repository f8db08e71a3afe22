//! `orchestra commands`: which commands of the settings may run, and allowing those of a repository's own file.

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use orchestra_api::{CommandChange, CommandList};
use orchestra_core::{RepositoryId, visible_line};
use orchestra_engine::{CommandError, EngineError, Permission, ProjectCommand};

use crate::Done;
use crate::commands::allowed::in_one_line;
use crate::context::Context;
use crate::error::{CliError, FAILED};
use crate::render::table::Table;
use orchestra_server::wire;

/// Commands of the settings: which there are, and which may run
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Every command that is set, and whether it may run
    #[command(after_help = "\
Examples:
  orchestra commands list
  orchestra commands list --json

Commands that you set yourself may always run. One in .orchestra/config.toml of a repository, or the
script of one of its templates, may run once you have allowed this very text; changed by a single
letter, it is new again. A line break in one is shown as ⏎. What you allowed and nothing names any
more is listed too: it could run again once something does, unless you forget it.")]
    List,
    /// Allow commands of the repository's own settings file
    #[command(after_help = "\
Examples:
  orchestra commands allow scripts.test commands.setup
  orchestra commands allow --all")]
    Allow(Chosen),
    /// Take back what was allowed, whether or not it is still set
    #[command(after_help = "\
Examples:
  orchestra commands forget scripts.test
  orchestra commands forget --all")]
    Forget(Chosen),
}

/// Which commands are meant.
#[derive(Debug, Args)]
pub(crate) struct Chosen {
    /// Settings such as scripts.test
    #[arg(value_name = "SETTING", required_unless_present = "all")]
    settings: Vec<String>,
    /// All of the repository's own settings file
    #[arg(long, conflicts_with = "settings")]
    all: bool,
}

pub(crate) fn run(context: &Context, command: &Command) -> Done {
    let Some(root) = &context.root else {
        return Err(CliError::usage(
            "this is not a git repository",
            "commands belong to a repository: go into one",
        ));
    };
    match command {
        Command::List => list(context),
        Command::Allow(chosen) => allow(context, root, chosen),
        Command::Forget(chosen) => forget(context, chosen),
    }
}

fn list(context: &Context) -> Done {
    let mut commands = every(context)?;
    if let Some(repository) = recorded(context)? {
        commands.extend(context.engine.unset_commands(repository, &commands)?);
    }
    if context.printer.json {
        context.printer.json(&CommandList {
            seq: context.engine.last_seq()?,
            commands: wire::project_commands(&context.engine, &commands),
        });
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["SETTING", "MAY RUN", "COMMAND"]);
    for it in &commands {
        let shown = in_one_line(&context.engine.redact(&it.command));
        table.add([
            visible_line(&it.setting),
            word(it.permission).to_owned(),
            shown,
        ]);
    }
    if commands.is_empty() {
        context.printer.note("no command is set");
        return Ok(ExitCode::SUCCESS);
    }
    context.printer.line(table);
    if !commands.iter().all(ProjectCommand::is_allowed) {
        context.printer.note(
            "\nRead those that are not allowed, then:\n  orchestra commands allow --all   or name their settings",
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn allow(context: &Context, root: &Path, chosen: &Chosen) -> Done {
    let commands = chosen_of(context, chosen)?;
    let not_allowed = commands.into_iter().filter(|it| !it.is_allowed());
    let not_allowed: Vec<_> = not_allowed.collect();
    let (allowable, problems) = match chosen.all {
        true => without_secrets(context, not_allowed),
        false => (not_allowed, Vec::new()),
    };
    context.engine.allow_commands(root, &allowable)?;
    let settings = allowable.into_iter().map(|it| it.setting).collect();
    tell(context, "allowed", settings, problems)
}

/// Those that can be allowed, and why the others cannot. If all of them are others, they stay together and are refused.
fn without_secrets(
    context: &Context,
    commands: Vec<ProjectCommand>,
) -> (Vec<ProjectCommand>, Vec<String>) {
    let has_none = |it: &ProjectCommand| context.engine.secret_in(it).is_none();
    if !commands.iter().any(has_none) {
        return (commands, Vec::new());
    }
    let (allowable, others): (Vec<_>, Vec<_>) = commands.into_iter().partition(has_none);
    let problems = others.iter().filter_map(|it| context.engine.secret_in(it));
    let problems = problems.map(|error| format!("{error}: {}", error.hint()));
    let problems = problems.collect();
    (allowable, problems)
}

fn forget(context: &Context, chosen: &Chosen) -> Done {
    let repository = recorded(context)?;
    let kept = match repository {
        Some(repository) => context.engine.unset_commands(repository, &[])?,
        None => Vec::new(),
    };
    // A setting that left the file still has its permission; only another name can be a mistake.
    for setting in &chosen.settings {
        if !kept.iter().any(|it| it.setting == *setting) {
            named(context, &every(context)?, setting)?;
        }
    }
    let forgotten = match repository {
        Some(repository) if chosen.all => context.engine.forget_every_command(repository)?,
        Some(repository) => context
            .engine
            .forget_commands(repository, &chosen.settings)?,
        None => Vec::new(),
    };
    tell(context, "forgotten", forgotten, Vec::new())
}

fn tell(
    context: &Context,
    done: &'static str,
    settings: Vec<String>,
    problems: Vec<String>,
) -> Done {
    let exit = match problems.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(FAILED),
    };
    if context.printer.json {
        let seq = context.engine.last_seq()?;
        context.printer.json(&CommandChange {
            seq,
            done,
            settings,
            problems,
        });
        return Ok(exit);
    }
    for problem in &problems {
        context.printer.warn(problem);
    }
    for setting in &settings {
        let setting = visible_line(setting);
        context.printer.line(format!("{done}  {setting}"));
    }
    if settings.is_empty() {
        context.printer.note("nothing to change");
    }
    Ok(exit)
}

/// The commands that are meant: all of the repository's own file, or those that are named.
fn chosen_of(context: &Context, chosen: &Chosen) -> Result<Vec<ProjectCommand>, CliError> {
    let every = every(context)?;
    if chosen.all {
        let of_repository = |it: &ProjectCommand| it.permission != Permission::Own;
        return Ok(every.into_iter().filter(of_repository).collect());
    }
    let settings = chosen.settings.iter();
    settings
        .map(|setting| named(context, &every, setting))
        .collect()
}

fn named(
    context: &Context,
    every: &[ProjectCommand],
    setting: &str,
) -> Result<ProjectCommand, CliError> {
    let found = match every.iter().find(|it| it.setting == setting) {
        Some(found) => Some(found.clone()),
        None => context.engine.project_command(None, setting)?,
    };
    let not_set = || CommandError::NotSet {
        setting: setting.to_owned(),
    };
    Ok(found.ok_or_else(|| EngineError::from(not_set()))?)
}

/// The commands of the settings, and the scripts of the repository's templates.
fn every(context: &Context) -> Result<Vec<ProjectCommand>, CliError> {
    let repository = recorded(context)?;
    let mut commands = context.engine.project_commands(repository)?;
    if let Some(root) = &context.root {
        let scripts = context.engine.template_scripts(repository, root)?;
        commands.extend(scripts);
    }
    Ok(commands)
}

/// A repository is recorded with its first session, or with the first command that is allowed in it.
fn recorded(context: &Context) -> Result<Option<RepositoryId>, CliError> {
    Ok(context.repository()?.map(|repository| repository.id))
}

fn word(permission: Permission) -> &'static str {
    match permission {
        Permission::Own => "yes, yours",
        Permission::Allowed => "yes, allowed",
        Permission::NotAllowed => "not allowed",
        Permission::Unset => "not set now",
    }
}
