//! `orchestra commands`: which commands of the settings may run, and allowing those of a repository's own file.

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use orchestra_api::{CommandChange, CommandList};
use orchestra_core::visible_line;
use orchestra_engine::{Permission, ProjectCommand};

use crate::Done;
use crate::commands::allowed::in_one_line;
use crate::context::Context;
use crate::error::{CliError, FAILED};
use crate::render::table::Table;
use orchestra_server::project_command::{self, Change};
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

impl Chosen {
    fn meant(&self) -> project_command::Chosen<'_> {
        match self.all {
            true => project_command::Chosen::All,
            false => project_command::Chosen::Of(&self.settings),
        }
    }
}

pub(crate) fn run(context: &Context, command: &Command) -> Done {
    let Some(root) = &context.root else {
        return Err(CliError::usage(
            "this is not a git repository",
            "commands belong to a repository: go into one",
        ));
    };
    match command {
        Command::List => list(context, root),
        Command::Allow(chosen) => {
            let allowed = project_command::allow(&context.engine, root, chosen.meant())?;
            tell(context, "allowed", allowed)
        }
        Command::Forget(chosen) => {
            let forgotten = project_command::forget(&context.engine, root, chosen.meant())?;
            tell(context, "forgotten", forgotten)
        }
    }
}

fn list(context: &Context, root: &Path) -> Done {
    let commands = project_command::list(&context.engine, root)?;
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

fn tell(context: &Context, done: &'static str, change: Change) -> Done {
    let Change { settings, problems } = change;
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

fn word(permission: Permission) -> &'static str {
    match permission {
        Permission::Own => "yes, yours",
        Permission::Allowed => "yes, allowed",
        Permission::NotAllowed => "not allowed",
        Permission::Unset => "not set now",
    }
}
