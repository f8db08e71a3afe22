//! `completions` and `man`.

mod slash;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Done;
use crate::args::{Orchestra, Sessions};
use crate::error::CliError;
use crate::printer::Printer;
use crate::render::screen;

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra completions bash > ~/.local/share/bash-completion/completions/orchestra
  orchestra completions bash --program ampsm > ~/.local/share/bash-completion/completions/ampsm")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
    /// For which program [default: the one you call]
    #[arg(long, value_parser = ["orchestra", "amp-sessions", "ampsm"])]
    program: Option<String>,
}

/// Write man pages into a directory
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  orchestra man ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// The directory
    directory: PathBuf,
}

pub(crate) fn completions(printer: &Printer, arguments: &Completions, called: &str) -> Done {
    if printer.json {
        return Err(CliError::usage(
            "completions are a program for a shell, which JSON cannot carry",
            "leave --json out",
        ));
    }
    let program = arguments.program.as_deref().unwrap_or(called);
    let mut command = match program {
        "orchestra" => Orchestra::command(),
        _ => Sessions::command(),
    };
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, program, &mut script);
    if let Some(addition) = slash::addition(arguments.shell, program) {
        script.extend_from_slice(addition.as_bytes());
    }
    printer.bytes(&script);
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man(printer: &Printer, arguments: &Man) -> Done {
    let directory = &arguments.directory;
    let fail = |source: std::io::Error| CliError::io("write the man pages", &source);
    make_last_folder(directory).map_err(fail)?;
    clap_mangen::generate_to(Orchestra::command(), directory).map_err(fail)?;
    for name in ["amp-sessions", "ampsm"] {
        clap_mangen::generate_to(Sessions::command().name(name), directory).map_err(fail)?;
    }
    if printer.json {
        printer.json(&serde_json::json!({ "directory": directory }));
    }
    printer.note(format!("wrote man pages to {}", screen::path(directory)));
    Ok(ExitCode::SUCCESS)
}

/// Only the last folder is made: a path that is missing altogether is a mistake.
fn make_last_folder(directory: &Path) -> std::io::Result<()> {
    match std::fs::create_dir(directory) {
        Err(_) if directory.is_dir() => Ok(()),
        made => made,
    }
}
