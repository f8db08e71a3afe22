//! What sessions have for themselves and begin with: ports, databases, variables, files, set-up, templates.

mod artifacts;
mod commands;
#[cfg(unix)]
mod copy;
mod databases;
mod init;
mod leases;
#[cfg(unix)]
mod regenerable;
mod servers;
mod setup;
mod teardown;
mod templates;
