//! What sessions have for themselves: ports, databases, variables, copies of ignored files, set-up.

mod commands;
#[cfg(unix)]
mod copy;
mod databases;
mod leases;
mod setup;
mod teardown;
