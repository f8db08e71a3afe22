//! Why a session cannot get what it should have for itself.

use std::path::PathBuf;

use orchestra_core::{PortRange, SessionId};

use crate::ErrorClass;

/// A session cannot get what it should have for itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    /// A setting has a placeholder that stands for nothing.
    #[error("`{text}` has the unknown placeholder `{placeholder}`")]
    UnknownPlaceholder {
        /// The setting's text.
        text: String,
        /// What is unknown.
        placeholder: String,
        /// What is known.
        known: Vec<String>,
    },
    /// Every port is taken.
    #[error("there is no block of {count} free port(s) for `{name}` in {range}")]
    NoPortsLeft {
        /// What the block is called.
        name: String,
        /// How many it has.
        count: u32,
        /// Where it was looked for.
        range: PortRange,
    },
    /// Another session has this database.
    #[error("the database `{database}` would be {location}, which {} has", holder_text(holder.as_ref()))]
    LocationTaken {
        /// What the settings call it.
        database: String,
        /// Where it would be.
        location: String,
        /// Who has it.
        holder: Option<SessionId>,
    },
    /// Every session would have the same database, or one outside of what is its own.
    #[error("the database `{database}` would be {location} for every session")]
    SharedLocation {
        /// What the settings call it.
        database: String,
        /// What they say.
        location: String,
    },
    /// A path with `..` can lead into what another session or the user has.
    #[error("the database `{database}` cannot be {location}: a path never climbs with `..`")]
    ClimbingLocation {
        /// What the settings call it.
        database: String,
        /// What they say.
        location: String,
    },
    /// The command that makes it failed.
    #[error(
        "the database `{database}` ({location}) was not made: databases.{database}.create failed"
    )]
    CreateFailed {
        /// Whose it is.
        session: SessionId,
        /// What the settings call it.
        database: String,
        /// Where it should be.
        location: String,
    },
    /// Nobody said how it is dropped.
    #[error("nothing says how the database `{database}` ({location}) is dropped")]
    NoDropCommand {
        /// What the settings call it.
        database: String,
        /// Where it is.
        location: String,
    },
    /// The command that drops it failed.
    #[error("the database `{database}` of session {session} was not dropped: its command failed")]
    DropFailed {
        /// Whose it is.
        session: SessionId,
        /// What the settings call it.
        database: String,
        /// What the command said.
        log: PathBuf,
    },
    /// A server should listen on ports that the settings do not have.
    #[error("the server `{server}` should have the ports `{name}`, and there are none called so")]
    NoSuchPorts {
        /// Which server.
        server: String,
        /// What its settings name.
        name: String,
        /// What is there.
        known: Vec<String>,
    },
    /// Something of the session itself listens where a server should.
    #[error("port {port} of `{name}` is in use by {by}, which runs in the session too")]
    PortInUse {
        /// What the block is called.
        name: String,
        /// The port.
        port: u16,
        /// Who listens there.
        by: String,
    },
    /// Somebody else starts or ends servers of the session.
    #[error("another command starts or ends servers of session {session}")]
    ServersBusy {
        /// Which session.
        session: SessionId,
    },
    /// A server was asked to end, and has not.
    #[error("the server `{server}` of session {session} was asked to end and still runs")]
    ServerStillRuns {
        /// Which session.
        session: SessionId,
        /// Which server.
        server: String,
    },
    /// A variable that could make programs load code.
    #[error("a repository's settings cannot choose the value of `{0}`")]
    VariableRefused(String),
}

impl EnvironmentError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownPlaceholder { .. } => "environment.unknown_placeholder",
            Self::NoPortsLeft { .. } => "environment.no_ports_left",
            Self::LocationTaken { .. } => "environment.location_taken",
            Self::SharedLocation { .. } => "environment.shared_location",
            Self::ClimbingLocation { .. } => "environment.climbing_location",
            Self::CreateFailed { .. } => "environment.create_failed",
            Self::NoDropCommand { .. } => "environment.no_drop_command",
            Self::DropFailed { .. } => "environment.drop_failed",
            Self::NoSuchPorts { .. } => "environment.no_such_ports",
            Self::PortInUse { .. } => "environment.port_in_use",
            Self::ServersBusy { .. } => "environment.servers_busy",
            Self::ServerStillRuns { .. } => "environment.server_still_runs",
            Self::VariableRefused(_) => "environment.variable_refused",
        }
    }

    /// What kind of failure it is. Something was ended or dropped before some of them.
    pub(crate) const fn class(&self) -> ErrorClass {
        match self {
            Self::CreateFailed { .. } | Self::DropFailed { .. } | Self::ServerStillRuns { .. } => {
                ErrorClass::Failed
            }
            Self::UnknownPlaceholder { .. }
            | Self::NoPortsLeft { .. }
            | Self::LocationTaken { .. }
            | Self::SharedLocation { .. }
            | Self::ClimbingLocation { .. }
            | Self::NoDropCommand { .. }
            | Self::NoSuchPorts { .. }
            | Self::PortInUse { .. }
            | Self::ServersBusy { .. }
            | Self::VariableRefused(_) => ErrorClass::Refused,
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownPlaceholder { known, placeholder, .. } => {
                let known = format!("known are {}", known.join(", "));
                match placeholder.as_str() {
                    "{issue}" => format!("the session has no issue; `new --issue` gives a session one; {known}"),
                    _ => known,
                }
            }
            Self::NoPortsLeft { .. } => {
                "`orchestra leases` shows who has ports; clean up sessions you do not need, or set worktree.port_range to more".to_owned()
            }
            Self::LocationTaken { database, .. } | Self::SharedLocation { database, .. } => {
                format!("put {{id}} into databases.{database}.location, so that each session gets its own")
            }
            Self::ClimbingLocation { database, .. } => format!(
                "let databases.{database}.location begin in the worktree, or write the whole path with {{id}} in it; without it, Orchestra chooses a place"
            ),
            Self::CreateFailed { session, .. } => format!(
                "the command must pass as well if the database is there already; `orchestra session setup {session}` runs it again"
            ),
            Self::NoDropCommand { database, .. } => format!(
                "set databases.{database}.drop to a command that takes $ORCHESTRA_LOCATION; if you drop it yourself, a file need only be gone, and for any other database the command can be `true`"
            ),
            Self::DropFailed { log, .. } => format!(
                "its log is {}; its worktree is in the trash, and the same command again goes on with the databases",
                log.display()
            ),
            Self::NoSuchPorts { name, known, .. } => match known.as_slice() {
                [] => format!("add `{name} = 1` under [ports] in .orchestra/config.toml"),
                known => format!("there are {}; or add `{name} = 1` under [ports]", known.join(", ")),
            },
            Self::PortInUse { .. } => {
                "end it first, or give the server ports of its own with servers.<name>.port".to_owned()
            }
            Self::ServerStillRuns { session, .. } => format!(
                "others may have been ended: `orchestra session status {session}` shows its servers; try again, or ask `orchestra doctor`"
            ),
            Self::ServersBusy { session } => format!(
                "`orchestra session status {session}` shows its servers; try again, or ask `orchestra doctor`"
            ),
            Self::VariableRefused(name) => {
                format!("take worktree.variables.{name} out of the settings; a script can set it itself")
            }
        }
    }
}

fn holder_text(holder: Option<&SessionId>) -> String {
    holder.map_or_else(
        || "another session".to_owned(),
        |id| format!("session {id}"),
    )
}
