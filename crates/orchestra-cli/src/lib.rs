//! The command line: arguments, rendering and the binaries. What it does is done by the engine.
//!
//! stdout carries the answer (tables, text, `--json`), stderr the narration.

mod args;
mod ask;
mod commands;
mod context;
#[cfg(test)]
mod equal_powers;
mod error;
mod hidden;
mod logging;
mod mcp_server;
mod printer;
mod reference;
mod render;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::args::{Orchestra, Sessions};
use crate::error::CliError;
use crate::printer::Printer;

/// The program `orchestra`.
#[must_use]
pub fn orchestra() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(code) = hidden::run(&arguments) {
        return code;
    }
    let parsed = Orchestra::command()
        .try_get_matches_from(&arguments)
        .and_then(|matches| Orchestra::from_arg_matches(&matches));
    match parsed {
        Ok(Orchestra { global, command }) => {
            let printer = Printer::new(global.json);
            printer.finish(commands::run_orchestra(&global, &printer, command))
        }
        Err(error) => error::usage(&error, &arguments),
    }
}

/// The programs `amp-sessions` and `ampsm`: the session commands on their own.
#[must_use]
pub fn sessions(name: &'static str) -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(code) = hidden::run(&arguments) {
        return code;
    }
    let command = Sessions::command().name(name).bin_name(name);
    let parsed = command
        .try_get_matches_from(&arguments)
        .and_then(|matches| Sessions::from_arg_matches(&matches));
    match parsed {
        Ok(Sessions { global, command }) => {
            let printer = Printer::new(global.json);
            printer.finish(commands::run_sessions(&global, &printer, command, name))
        }
        Err(error) => error::usage(&error, &arguments),
    }
}

/// What a command answers with: the code the process ends with.
type Done = Result<ExitCode, CliError>;
