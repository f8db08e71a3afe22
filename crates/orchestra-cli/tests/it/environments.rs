//! What sessions have for themselves: ports, databases, variables.

mod commands;
mod leases;
