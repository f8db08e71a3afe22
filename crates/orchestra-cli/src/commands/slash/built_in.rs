//! Built-in slash commands: each becomes the command line that does the same.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use orchestra_core::slash::{BuiltIn, Word};
use orchestra_engine::SessionView;

use crate::args::{Global, Orchestra};
use crate::commands::run_orchestra;
use crate::context::Context;
use crate::error::{CliError, mistake};
use crate::printer::Printer;

pub(super) fn run(
    context: &Context,
    view: &SessionView,
    command: BuiltIn,
    words: &[Word],
) -> Result<ExitCode, CliError> {
    let words: Vec<String> = words.iter().map(Word::text).collect();
    let line = ["orchestra".to_owned()]
        .into_iter()
        .chain(command_line(view, command, &words));
    let parsed = Orchestra::command()
        .try_get_matches_from(line)
        .and_then(|matches| Orchestra::from_arg_matches(&matches));
    match parsed {
        Ok(Orchestra { global, command }) => {
            let global = both(context.global(), global);
            run_orchestra(&global, &Printer::new(global.json), command)
        }
        Err(help) if !help.use_stderr() => {
            context
                .printer
                .line(help.render().ansi().to_string().trim_end());
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => Err(CliError {
            hint: Some(format!("usage: {}", command.usage())),
            ..mistake(&error)
        }),
    }
}

/// The words after `orchestra` that do what a slash command asks for.
fn command_line(view: &SessionView, command: BuiltIn, words: &[String]) -> Vec<String> {
    let id = view.session.id.to_string();
    let root = view.repository.root.to_string_lossy().into_owned();
    let line = |start: &[&str]| {
        start
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let of_session = |verb: &str| [line(&["session", verb, &id]), words.to_vec()].concat();
    match command {
        BuiltIn::Worktree => match words {
            [] => line(&["worktree", "list", "--repo", &root]),
            [verb] if verb == "list" || verb == "prune" => {
                line(&["worktree", verb, "--repo", &root])
            }
            _ => [line(&["worktree"]), words.to_vec()].concat(),
        },
        BuiltIn::AgentMode if words.is_empty() => line(&["env", "show", &id]),
        BuiltIn::AgentMode => [line(&["session", "set", &id, "mode"]), words.to_vec()].concat(),
        BuiltIn::Toolbox => equipment("toolbox", &id, words),
        BuiltIn::Mcp => equipment("mcp", &id, words),
        BuiltIn::Diff => of_session("diff"),
        BuiltIn::Test => of_session("run"),
        BuiltIn::Squash if words.first().is_some_and(|word| !word.starts_with('-')) => {
            line(&["session", "squash", &id, "--message", &words.join(" ")])
        }
        BuiltIn::Squash => of_session("squash"),
        BuiltIn::Land => of_session("land"),
        BuiltIn::Help if words.is_empty() => line(&["slash", "list", "--session", &id]),
        BuiltIn::Help => [line(&["slash", "show", "--session", &id]), words.to_vec()].concat(),
    }
}

/// Names are set together, instead of those before; where there are none, what is there is listed.
fn equipment(field: &str, id: &str, words: &[String]) -> Vec<String> {
    let (options, names): (Vec<String>, Vec<String>) = words
        .iter()
        .cloned()
        .partition(|word| word.starts_with('-'));
    let line = match names.is_empty() {
        true => vec![field, "list", "--session", id],
        false => vec!["session", "set", id, field],
    };
    let value = (!names.is_empty()).then(|| names.join(","));
    let line = line.into_iter().map(str::to_owned);
    line.chain(value).chain(options).collect()
}

/// What the whole command line wants, and the slash command too.
fn both(outer: &Global, inner: Global) -> Global {
    let outer_overrides = outer.overrides.iter().cloned();
    Global {
        json: outer.json || inner.json,
        overrides: outer_overrides.chain(inner.overrides).collect(),
    }
}
