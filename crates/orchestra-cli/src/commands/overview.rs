//! `orchestra` alone: the sessions of the current repository and what needs the user.

use std::process::ExitCode;

use orchestra_api::SessionList;
use orchestra_engine::ListRequest;

use super::list;
use crate::Done;
use crate::context::Context;
use crate::printer::BOLD;
use crate::render::{summary, wire};

pub(crate) fn run(context: &Context) -> Done {
    let listing = context.engine.list_sessions(&ListRequest {
        repository: context.scope()?,
        ..ListRequest::default()
    })?;
    if context.printer.json {
        context.printer.json(&SessionList {
            seq: listing.seq,
            sessions: listing.sessions.iter().map(wire::session).collect(),
        });
        return Ok(ExitCode::SUCCESS);
    }
    let waiting: Vec<String> = listing
        .sessions
        .iter()
        .filter(|view| view.needs_user())
        .map(summary::what_it_needs)
        .collect();
    list::show(context, listing, true)?;
    if !waiting.is_empty() {
        context.printer.line(format!("\n{BOLD}Needs you{BOLD:#}"));
    }
    for line in waiting {
        context.printer.line(format!("  {line}"));
    }
    Ok(ExitCode::SUCCESS)
}
