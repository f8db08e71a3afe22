//! What sessions have for themselves: ports, databases, variables.

mod commands;
mod databases;
mod leases;
mod setup;
mod teardown;
