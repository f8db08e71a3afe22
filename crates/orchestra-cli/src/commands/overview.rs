//! `orchestra` alone: the sessions of the current repository and what needs the user.

use std::process::ExitCode;

use orchestra_engine::{Clock, ListRequest};

use super::list::{self, Ask};
use crate::Done;
use crate::context::Context;
use crate::printer::BOLD;
use crate::render::board::Columns;
use crate::render::needs;

pub(crate) fn run(context: &Context) -> Done {
    let begun = Clock::System.now();
    let mut listing = context.engine.list_sessions(&ListRequest {
        repository: context.scope()?,
        ..ListRequest::default()
    })?;
    list::show(context, &mut listing, Ask::Shortly, Columns::Usual);
    if context.printer.json {
        return Ok(ExitCode::SUCCESS);
    }
    let waiting = listing.sessions.iter().filter(|view| view.needs_user());
    let waiting: Vec<String> = waiting
        .map(|view| needs::what_it_needs(view, begun))
        .collect();
    if !waiting.is_empty() {
        context.printer.line(format!("\n{BOLD}Needs you{BOLD:#}"));
    }
    for line in waiting {
        context.printer.line(format!("  {line}"));
    }
    Ok(ExitCode::SUCCESS)
}
