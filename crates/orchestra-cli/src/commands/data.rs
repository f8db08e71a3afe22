//! `data`: what is kept of sessions' runs: where it is, a copy of it, and its removal.

mod export;
mod purge;

use std::process::ExitCode;

use clap::Subcommand;
use orchestra_engine::{KeptData, size_in_words};
use orchestra_server::data;

use crate::Done;
use crate::context::Context;
use crate::render::{screen, table::Table};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Where data lies, how much it is, and whether it is private
    #[command(after_help = "Example:\n  orchestra data show")]
    Show,
    /// Write everything that is kept of sessions into a new directory
    Export(export::Arguments),
    /// Remove transcripts or logs of sessions for good
    Purge(purge::Arguments),
}

pub(crate) fn run(context: &Context, command: &Command) -> Done {
    match command {
        Command::Show => show(context, &context.engine.kept_data()?),
        Command::Export(arguments) => export::run(context, arguments),
        Command::Purge(arguments) => purge::run(context, arguments),
    }
}

fn show(context: &Context, kept: &KeptData) -> Done {
    let report = data::report(&context.engine, kept)?;
    if context.printer.json {
        context.printer.json(&report);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["WHAT", "SIZE", "WHERE"]);
    for place in &kept.places {
        let size = size_in_words(place.bytes);
        table.add([place.what.to_owned(), size, screen::path(&place.path)]);
    }
    context.printer.line(table);
    let (sum, root) = (size_in_words(report.bytes), screen::path(&kept.root));
    context
        .printer
        .line(format!("{sum} in {root}, for you alone"));
    for path in &kept.open_to_others {
        let path = screen::path(path);
        context.printer.warn(format!(
            "{path} has permissions for others; `orchestra doctor --fix` takes them away"
        ));
    }
    Ok(ExitCode::SUCCESS)
}
