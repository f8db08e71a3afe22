//! `orchestra toolbox`: which tools agents get, why others are refused, and trying one.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use orchestra_core::visible_line;
use orchestra_engine::{Exit, ToolOutput, ToolboxLook};
use orchestra_server::agent;
use serde_json::{Map, Value};

use crate::Done;
use crate::args::key_value;
use crate::commands::new::toolbox_wish;
use crate::context::Context;
use crate::error::CliError;
use crate::printer::{BOLD, DIM};
use crate::render::{screen, table::Table};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The tools that sessions get, and what gives way or is refused
    List(List),
    /// Look at a directory as if it were a toolbox
    Check(Check),
    /// Let a tool do its work here
    Run(Run),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra toolbox list                      what sessions get that name no toolbox
  orchestra toolbox list --session login
  orchestra toolbox list --toolbox deploy --toolbox ./tools
  orchestra config set toolboxes.deploy ~/tools/deploy")]
pub(crate) struct List {
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Args)]
struct Which {
    /// Those of a session: id, unique prefix or name
    #[arg(long, conflicts_with = "toolboxes")]
    session: Option<String>,
    /// A toolbox, by its name in the settings or as a directory
    #[arg(long = "toolbox", value_name = "NAME", value_parser = toolbox_wish)]
    toolboxes: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra toolbox check ./tools
  orchestra toolbox check ~/tools/deploy --json")]
pub(crate) struct Check {
    /// The directory
    directory: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra toolbox run greet who=you
  orchestra toolbox run greet --input \"$(cat input.json)\" --toolbox ./tools")]
pub(crate) struct Run {
    /// The tool's name
    tool: String,
    /// What it takes, as text
    #[arg(value_name = "NAME=VALUE", value_parser = key_value)]
    parameters: Vec<(String, String)>,
    /// What it takes, as a JSON object
    #[arg(long, value_name = "JSON", conflicts_with = "parameters")]
    input: Option<String>,
    #[command(flatten)]
    which: Which,
}

pub(crate) fn run(context: &Context, command: &Command) -> Done {
    match command {
        Command::List(arguments) => list(context, arguments),
        Command::Check(arguments) => check(context, arguments),
        Command::Run(arguments) => run_tool(context, arguments),
    }
}

impl Which {
    /// Does something with the directories that are meant; with those of a session as its repository's settings have them.
    fn with_directories(
        &self,
        context: &Context,
        act: impl FnOnce(&Context, &[PathBuf]) -> Done,
    ) -> Done {
        if let Some(session) = &self.session {
            return context.in_session(session, |context, view| {
                act(context, &context.engine.toolboxes_of(&view.session)?)
            });
        }
        let engine = &context.engine;
        let directories = match self.toolboxes.is_empty() {
            true => engine.toolbox_directories(engine.usual_toolboxes())?,
            false => engine.toolbox_directories(&self.toolboxes)?,
        };
        act(context, &directories)
    }
}

fn list(context: &Context, arguments: &List) -> Done {
    arguments
        .which
        .with_directories(context, |context, directories| {
            show(context, &context.engine.look_at_toolboxes(directories)?);
            Ok(ExitCode::SUCCESS)
        })
}

fn check(context: &Context, arguments: &Check) -> Done {
    let directory = context.path(&arguments.directory);
    let directory = directory.canonicalize().unwrap_or(directory);
    let look = context.engine.look_at_toolboxes(&[directory])?;
    show(context, &look);
    match look.refused.is_empty() {
        true => Ok(ExitCode::SUCCESS),
        false => Ok(ExitCode::FAILURE),
    }
}

fn show(context: &Context, look: &ToolboxLook) {
    let printer = &context.printer;
    if printer.json {
        return printer.json(&agent::toolbox(look));
    }
    let mut rows = Table::new(&["TOOL", "FILE", "WHAT IT DOES"]);
    for tool in &look.tools {
        let first = tool.description.lines().next().unwrap_or_default();
        rows.add([
            visible_line(&tool.name),
            screen::path(&tool.file),
            visible_line(first),
        ]);
    }
    match look.tools.is_empty() {
        true => printer.line("no tools"),
        false => printer.line(rows.to_string()),
    }
    for file in &look.shadowed {
        let (path, by) = (screen::path(&file.path), screen::path(&file.by));
        printer.line(format!("{DIM}shadowed{DIM:#} {path}  by {by}"));
    }
    for file in &look.refused {
        let (path, why) = (screen::path(&file.path), visible_line(&file.why));
        printer.line(format!("{BOLD}refused{BOLD:#}  {path}  {why}"));
    }
}

fn run_tool(context: &Context, arguments: &Run) -> Done {
    let parameters = parameters(arguments)?;
    arguments
        .which
        .with_directories(context, |context, directories| {
            let engine = &context.engine;
            let answer = engine.run_tool(
                directories,
                &arguments.tool,
                &parameters,
                &context.directory,
            )?;
            told(context, answer)
        })
}

fn told(context: &Context, answer: ToolOutput) -> Done {
    let exit = answer.exit;
    let printer = &context.printer;
    if printer.json {
        printer.json(&agent::tool_answer(answer));
    } else {
        printer.line(answer.stdout.trim_end());
        if !answer.stderr.trim().is_empty() {
            printer.note(answer.stderr.trim_end());
        }
    }
    match exit {
        Exit::Code(0) => Ok(ExitCode::SUCCESS),
        _ => Ok(ExitCode::FAILURE),
    }
}

fn parameters(arguments: &Run) -> Result<Map<String, Value>, CliError> {
    let Some(input) = &arguments.input else {
        let given = arguments.parameters.iter();
        let pairs = given.map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        return Ok(pairs.collect());
    };
    serde_json::from_str(input).map_err(|error| {
        CliError::usage(
            format!("the input is no JSON object: {error}"),
            "write it as {\"name\": \"value\"}",
        )
    })
}
