//! The desktop app: a window with the web UI, over the engine in the same process. It decides nothing of its own: requests of
//! the page go into the router that `orchestra serve` has, without a port, and agents run under the `orchestra` program.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod arguments;
mod commands;
mod engine;
mod error;
mod glance;
mod link;
mod menu;
mod notices;
mod orders;
mod program;
mod quit;
mod scheme;
mod shell;
mod tray;
mod update;
mod window;

use std::process::ExitCode;

fn main() -> ExitCode {
    shell::run()
}
