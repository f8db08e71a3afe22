//! `orchestra leases`: which ports and databases belong to which session.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Args;
use orchestra_api::{Database, Lease, LeaseHolder, LeaseList};
use orchestra_core::{PortLease, ScriptRun, SessionId, visible_line};
use orchestra_engine::{LeaseListing, ListRequest};

use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::{screen, summary, table::Table};
use orchestra_server::{time, wire};

/// Ports and databases that belong to sessions
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra leases
  orchestra leases --session login
  orchestra leases --json

A session gets its ports and databases when they are needed first, by `ports.*` and `databases.*` of
the repository's settings. Cleaning it up or putting it away gives its ports back; a database stays
until you drop it.")]
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
    let listing = context.engine.leases_on_disk(only.as_ref())?;
    let servers = context.engine.running_servers(only.as_ref())?;
    let holders = holders(context)?;
    if context.printer.json {
        let ports = wire::ports(listing.ports, &servers).into_iter();
        let databases = listing.databases.into_iter().map(Database::from);
        context.printer.json(&LeaseList {
            seq: listing.seq,
            ports: ports
                .map(|it| Lease::new(holders.get(&it.session_id), it))
                .collect(),
            databases: databases
                .map(|it| Lease::new(holders.get(&it.session_id), it))
                .collect(),
        });
    } else {
        show(context, &listing, &servers, &holders);
    }
    Ok(ExitCode::SUCCESS)
}

/// What the first columns say of a session.
fn columns(holders: &BTreeMap<SessionId, LeaseHolder>, id: &SessionId) -> [String; 3] {
    let holder = holders.get(id);
    let name = holder.map_or(String::new(), |holder| visible_line(&holder.name));
    let repository = holder.map_or(String::new(), |holder| screen::path(&holder.repository));
    [id.to_string(), name, repository]
}

fn show(
    context: &Context,
    listing: &LeaseListing,
    servers: &[ScriptRun],
    holders: &BTreeMap<SessionId, LeaseHolder>,
) {
    let mut rows = Table::new(&["SESSION", "NAME", "REPOSITORY", "WHAT", "PLACE", "SINCE"]);
    for lease in &listing.ports {
        let what = [
            format!("{} {}", ports_word(lease), lease.name),
            place(lease, servers),
            time::ago(lease.leased_at),
        ];
        rows.add(columns(holders, &lease.session).into_iter().chain(what));
    }
    for database in &listing.databases {
        let (kind, state) = (database.kind.name(), database.state.name());
        let what = [
            format!("{kind} {} ({state})", database.name),
            visible_line(&database.location),
            time::ago(database.changed_at),
        ];
        rows.add(columns(holders, &database.session).into_iter().chain(what));
    }
    let count = listing.ports.len() + listing.databases.len();
    if count > 0 {
        context.printer.line(rows);
    }
    context.printer.note(match count {
        0 => "nothing is leased".to_owned(),
        count => format!("{count} lease(s)"),
    });
}

fn holders(context: &Context) -> Result<BTreeMap<SessionId, LeaseHolder>, CliError> {
    let every = ListRequest {
        archived: true,
        ..ListRequest::default()
    };
    let sessions = context.engine.list_sessions(&every)?.sessions.into_iter();
    let holders = sessions.map(|view| {
        let holder = LeaseHolder {
            name: view.session.name.to_string(),
            repository: view.repository.root,
        };
        (view.session.id, holder)
    });
    Ok(holders.collect())
}

/// The numbers, and who is to be found there.
fn place(lease: &PortLease, servers: &[ScriptRun]) -> String {
    let ports = summary::ports(lease);
    match wire::server_of(lease, servers) {
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
