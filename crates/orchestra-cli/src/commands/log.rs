//! `log`: commits, iterations and script runs.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::{Event, ScriptRun, and_more, visible_line};
use orchestra_engine::{CommitInfo, SessionLog};

use crate::Done;
use crate::context::Context;
use crate::printer::{BOLD, DIM, YELLOW};
use crate::render::{screen, summary};
use orchestra_server::{review, time, wire};

/// Commits, iterations and script runs of a session
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  log login
  log login --json")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
}

/// Files of one commit; `diff` shows the others.
const SHOWN_FILES: usize = 8;

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let view = context.session(&arguments.session)?;
    if context.printer.json {
        context.printer.json(&review::log(&context.engine, &view)?);
    } else {
        show(context, &context.engine.session_log(&view.session.id)?);
        show_calls(context, &context.engine.calls(&view.session.id)?);
    }
    Ok(ExitCode::SUCCESS)
}

fn show(context: &Context, log: &SessionLog) {
    let printer = &context.printer;
    printer.line(format!("{BOLD}Commits{BOLD:#}"));
    if log.commits.is_empty() {
        printer.line("  none yet");
    }
    for commit in &log.commits {
        show_commit(context, commit);
    }
    printer.line(format!("{BOLD}Iterations{BOLD:#}"));
    for iteration in &log.iterations {
        printer.line(format!("  {}", summary::iteration_line(iteration)));
    }
    if !log.script_runs.is_empty() {
        printer.line(format!("{BOLD}Script runs{BOLD:#}"));
    }
    for run in &log.script_runs {
        show_script_run(context, run);
    }
}

fn show_calls(context: &Context, calls: &[Event]) {
    if !calls.is_empty() {
        context
            .printer
            .line(format!("{BOLD}Asked for by others{BOLD:#}"));
    }
    for call in wire::calls(calls) {
        let refused = call.refused.map(|code| format!(", refused: {code}"));
        let failed = call.failed.map(|code| format!(", failed: {code}"));
        context.printer.line(format!(
            "  {} by {}{}  {DIM}{}{DIM:#}",
            visible_line(&call.tool),
            call.caller,
            visible_line(&refused.or(failed).unwrap_or_default()),
            time::ago(call.at)
        ));
    }
}

fn show_commit(context: &Context, commit: &CommitInfo) {
    let printer = &context.printer;
    let when = time::ago(commit.at);
    printer.line(format!(
        "  {YELLOW}{}{YELLOW:#} {}  {DIM}{when}{DIM:#}",
        commit.id.short(),
        visible_line(&commit.subject)
    ));
    for file in commit.files.iter().take(SHOWN_FILES) {
        printer.line(format!(
            "      {DIM}{} {}{DIM:#}",
            file.kind.letter(),
            screen::path(&file.path)
        ));
    }
    if let Some(more) = and_more(commit.files.len(), SHOWN_FILES) {
        printer.line(format!("      {DIM}... {more}{DIM:#}"));
    }
}

fn show_script_run(context: &Context, run: &ScriptRun) {
    let wire = orchestra_api::ScriptRun::new(run, context.engine.script_log(run));
    let code = wire.exit_code.map(|code| format!(" ({code})"));
    let end = code.or_else(|| summary::ended_by(run).map(|end| format!(" ({end})")));
    context.printer.line(format!(
        "  {} {}{}  {}: {}  {DIM}{}{DIM:#}",
        wire.id,
        wire.state,
        end.unwrap_or_default(),
        visible_line(&summary::script_name(run)),
        visible_line(&wire.command),
        time::ago(wire.started_at)
    ));
}
