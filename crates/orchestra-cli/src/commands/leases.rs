//! `orchestra leases`: which ports and databases belong to which session.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Args;
use orchestra_api::LeaseHolder;
use orchestra_core::{PortLease, ScriptRun, SessionId, visible_line};

use crate::Done;
use crate::context::Context;
use crate::render::{screen, summary, table::Table};
use orchestra_server::lease::{self, Leases};
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
    let leases = lease::load(&context.engine, only.as_ref())?;
    if context.printer.json {
        context.printer.json(&leases.answer());
    } else {
        show(context, &leases);
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

fn show(context: &Context, leases: &Leases) {
    let Leases {
        listing,
        servers,
        holders,
    } = leases;
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
