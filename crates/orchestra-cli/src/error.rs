//! Failures as the command line shows them, and the exit codes.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use orchestra_config::{Environment, Sources};
use orchestra_core::Operation;
use orchestra_core::redact::RedactorError;
use orchestra_engine::{EngineError, ErrorClass, chain};

use crate::printer::Printer;

/// It went wrong.
pub(crate) const FAILED: u8 = 1;
/// What was asked for makes no sense.
pub(crate) const USAGE: u8 = 2;
/// It was refused, and nothing was changed.
pub(crate) const REFUSED: u8 = 3;
/// The agent failed or cannot be used.
pub(crate) const AGENT_FAILED: u8 = 4;
/// The script failed.
pub(crate) const SCRIPT_FAILED: u8 = 5;
/// The agent waits for an answer.
pub(crate) const AWAITING_INPUT: u8 = 6;
/// Conflicts wait for somebody.
pub(crate) const CONFLICTS: u8 = 7;
/// It was stopped.
pub(crate) const STOPPED: u8 = 130;

/// A failure with everything that is shown of it.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) exit: u8,
    /// What had been done already, so that this is no failure.
    pub(crate) finished: Option<Box<Operation>>,
}

impl CliError {
    /// What the user gave cannot be used.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code: "input.invalid".to_owned(),
            message: message.into(),
            hint: Some(hint.into()),
            exit: USAGE,
            finished: None,
        }
    }

    /// It was refused, and nothing was changed.
    pub(crate) fn refused(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            hint: Some(hint.into()),
            exit: REFUSED,
            finished: None,
        }
    }

    /// The file system or the terminal refused.
    pub(crate) fn io(action: &str, source: &std::io::Error) -> Self {
        Self {
            code: "io.failed".to_owned(),
            message: format!("cannot {action}: {source}"),
            hint: None,
            exit: FAILED,
            finished: None,
        }
    }
}

impl From<RedactorError> for CliError {
    fn from(error: RedactorError) -> Self {
        Self {
            code: error.code().to_owned(),
            message: chain::text(&error),
            hint: error.hint(),
            exit: FAILED,
            finished: None,
        }
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> Self {
        Self {
            code: error.code().to_owned(),
            message: chain::text(&error),
            hint: error.hint(),
            exit: exit_of(&error),
            finished: match error {
                EngineError::FinishedBefore { operation } => Some(operation),
                _ => None,
            },
        }
    }
}

/// The exit code for a failure of the engine.
pub(crate) fn exit_of(error: &EngineError) -> u8 {
    match error.class() {
        ErrorClass::Failed => FAILED,
        ErrorClass::Usage => USAGE,
        ErrorClass::Refused => REFUSED,
        ErrorClass::Conflicts => CONFLICTS,
        ErrorClass::Agent => AGENT_FAILED,
        ErrorClass::Finished => 0,
    }
}

/// What clap has to say: help on stdout, a mistake as every other failure.
pub(crate) fn usage(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    let wants_json = arguments.iter().any(|word| word == "--json");
    if error.use_stderr() && wants_json {
        return Printer::new(true).finish(Err(mistake(error)));
    }
    choose_color_of_user();
    let text = error.render().ansi().to_string();
    if error.use_stderr() {
        // A closed pipe is no reason to fail differently.
        write!(anstream::stderr(), "{text}").ok();
        return ExitCode::from(USAGE);
    }
    let printer = Printer::new(false);
    printer.line(text.trim_end());
    printer.finish(Ok(ExitCode::SUCCESS))
}

/// Help is shown even if the settings cannot be read.
fn choose_color_of_user() {
    let sources = Sources {
        environment: Environment::of_process(),
        ..Sources::default()
    };
    if let Ok(resolved) = orchestra_config::load(&sources) {
        Printer::choose_color(resolved.settings.ui.color);
    }
}

/// A mistake in the words of a command.
pub(crate) fn mistake(error: &clap::Error) -> CliError {
    let text = error.to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    CliError {
        code: "usage.invalid".to_owned(),
        message: first.trim().trim_start_matches("error: ").to_owned(),
        hint: Some("`--help` after the command shows what it takes".to_owned()),
        exit: USAGE,
        finished: None,
    }
}
