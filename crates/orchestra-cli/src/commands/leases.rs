//! `orchestra leases`: which ports and databases belong to which session.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Args;
use orchestra_api::LeaseList;
use orchestra_core::{PortLease, ScriptRun, SessionId, visible_line};
use orchestra_engine::{LeaseListing, ListRequest};

use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::{summary, table::Table, time, wire};

/// Ports and databases that belong to sessions
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra leases
  orchestra leases --session login
  orchestra leases --json

A session gets its ports and databases when they are needed first, by `ports.*` and `databases.*` of the repository's
settings. Cleaning it up or putting it away gives its ports back; a database stays until you drop it.")]
pub(crate) struct Arguments {
    /// Only those of this session (id, unique prefix or name)
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let only = match &arguments.session {
        Some(text) => Some(context.session(text)?.session.id),
        None => None,
    };
    let listing = context.engine.leases(only.as_ref())?;
    let servers = context.engine.running_servers(only.as_ref())?;
    if context.printer.json {
        context.printer.json(&LeaseList {
            seq: listing.seq,
            ports: wire::ports(listing.ports, &servers),
            databases: listing.databases.into_iter().map(Into::into).collect(),
        });
    } else {
        show(context, &listing, &servers)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(context: &Context, listing: &LeaseListing, servers: &[ScriptRun]) -> Result<(), CliError> {
    let names = names(context)?;
    let name = |id: &SessionId| match names.get(id) {
        Some(name) => visible_line(name),
        None => id.to_string(),
    };
    let mut rows = Table::new(&["SESSION", "WHAT", "NAME", "PLACE", "SINCE"]);
    for lease in &listing.ports {
        rows.add([
            name(&lease.session),
            ports_word(lease).to_owned(),
            lease.name.clone(),
            place(lease, servers),
            time::ago(lease.leased_at),
        ]);
    }
    for database in &listing.databases {
        rows.add([
            name(&database.session),
            format!("{} {}", database.kind.name(), database.state.name()),
            database.name.clone(),
            visible_line(&database.location),
            time::ago(database.changed_at),
        ]);
    }
    let count = listing.ports.len() + listing.databases.len();
    if count > 0 {
        context.printer.line(rows);
    }
    context.printer.note(match count {
        0 => "nothing is leased".to_owned(),
        count => format!("{count} lease(s)"),
    });
    Ok(())
}

fn names(context: &Context) -> Result<BTreeMap<SessionId, String>, CliError> {
    let every = ListRequest {
        archived: true,
        ..ListRequest::default()
    };
    let sessions = context.engine.list_sessions(&every)?.sessions;
    let names = sessions.into_iter().map(|view| view.session);
    Ok(names
        .map(|session| (session.id, session.name.to_string()))
        .collect())
}

/// The numbers, and who is to be found there.
fn place(lease: &PortLease, servers: &[ScriptRun]) -> String {
    let ports = summary::ports(lease);
    match summary::server_of(lease, servers) {
        Some(run) => format!("{ports} (served by {})", visible_line(&run.script)),
        None => ports,
    }
}

fn ports_word(lease: &PortLease) -> &'static str {
    match lease.count {
        1 => "port",
        _ => "ports",
    }
}
