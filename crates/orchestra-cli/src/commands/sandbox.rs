//! `orchestra sandbox`: what this machine has to hold agents, tried for real.

use std::process::ExitCode;

use clap::Subcommand;
use orchestra_core::{EscapeEnd, EscapeRecord, visible_line};
use orchestra_engine::{EngineError, MachineSandbox, TriedLayers, chain};
use orchestra_server::sandbox;

use crate::Done;
use crate::context::Context;
use crate::error::FAILED;
use crate::printer::{BOLD, GREEN, RED, YELLOW};
use crate::render::table::Table;

const CHECK_EXAMPLES: &str = "\
Examples:
  orchestra sandbox check
  orchestra sandbox check --json
  orchestra config set security.isolation sandbox

Each layer that this machine has is tried alone, then all together as sessions have them. A program
in the sandbox makes a commit and tries ten ways out. Nothing is changed by a way out that is
possible.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Try what this machine has to hold agents
    #[command(after_help = CHECK_EXAMPLES)]
    Check,
}

pub(crate) fn run(context: &Context, command: &Command) -> Done {
    match command {
        Command::Check => check(context),
    }
}

fn check(context: &Context) -> Done {
    let found = context.engine.check_sandbox()?;
    match context.printer.json {
        true => context.printer.json(&sandbox::answer(&found)),
        false => show(context, &found),
    }
    Ok(match found.refusal {
        None => ExitCode::SUCCESS,
        Some(_) => ExitCode::from(FAILED),
    })
}

fn show(context: &Context, found: &MachineSandbox) {
    let printer = &context.printer;
    if !found.tried.is_empty() {
        printer.line(table(&found.tried).to_string());
        printer.line("");
    }
    for tried in found.tried.iter() {
        let (count, stopped) = tried.counts();
        let layers = tried.layers.join(" and ");
        printer.line(format!(
            "{BOLD}{layers}{BOLD:#}: {stopped} of {count} ways out stopped, {}",
            committed(tried)
        ));
        for escape in &tried.escapes {
            let how = visible_line(escape.by.as_deref().unwrap_or_default());
            let what = &escape.escape;
            match escape.end {
                EscapeEnd::Succeeded => {
                    printer.line(format!("  {RED}possible{RED:#}: {what}, by {how}"));
                }
                // More than the name of a layer: something of it is left.
                EscapeEnd::Stopped if !tried.layers.contains(&how) => {
                    printer.line(format!("  {YELLOW}stopped{YELLOW:#}: {what}, by {how}"));
                }
                EscapeEnd::Stopped | EscapeEnd::NotTried => {}
            }
        }
    }
    for (layer, hint) in &found.missing {
        printer.line(format!("{YELLOW}missing{YELLOW:#}: {layer}; {hint}"));
    }
    match &found.refusal {
        None => printer.line(format!(
            "{GREEN}sessions can run in a sandbox here{GREEN:#}"
        )),
        Some(error) => printer.line(refused(error)),
    }
}

fn refused(error: &EngineError) -> String {
    let why = visible_line(&chain::text(error));
    format!("{RED}sessions are not run in a sandbox here{RED:#}: {why}")
}

fn committed(tried: &TriedLayers) -> String {
    match &tried.commit_failure {
        None => "a commit works".to_owned(),
        Some(why) => format!("{RED}no commit{RED:#}: {}", visible_line(why)),
    }
}

/// One way out a row, some layers a column.
fn table(tried: &[TriedLayers]) -> Table {
    let names = tried
        .iter()
        .map(|it| it.layers.join(" and ").to_uppercase());
    let header: Vec<String> = std::iter::once("WAY OUT".to_owned()).chain(names).collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut rows = Table::new(&header);
    let ways = tried.first().map_or(&[][..], |first| &first.escapes);
    for (number, way) in ways.iter().enumerate() {
        let ends = tried.iter().filter_map(|it| it.escapes.get(number));
        let ends = ends.map(|escape| escape.end.in_words().to_owned());
        rows.add(std::iter::once(way.escape.clone()).chain(ends));
    }
    rows
}

/// What became of the ways out, in one line.
pub(crate) fn escapes_line(escapes: &[EscapeRecord]) -> String {
    let (tried, stopped) = orchestra_core::escape_counts(escapes);
    format!("{stopped} of {tried} ways out stopped")
}
