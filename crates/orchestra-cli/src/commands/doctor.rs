//! `doctor`: check everything, repair what is ours.

use std::process::ExitCode;

use clap::Args;
use orchestra_config::Environment;
use orchestra_core::visible_line;
use orchestra_engine::{
    Clock, Diagnosis, Examination, Health, OpenOptions, examine, main_checkout_of,
};
use orchestra_server::doctor;

use crate::Done;
use crate::args::Global;
use crate::context::{current_directory, own_program};
use crate::error::FAILED;
use crate::logging::{Destination, Log, filter_warning};
use crate::printer::{BLUE, DIM, GREEN, Printer, RED, YELLOW};

/// Check everything sessions depend on, and repair what is ours
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doctor                          looks and changes nothing
  doctor --fix

Programs that use the directory of a session in which nothing of Orchestra works are named, and
never ended: they may be your own.")]
pub(crate) struct Arguments {
    /// Repair what is ours
    #[arg(long)]
    pub(crate) fix: bool,
}

/// Needs no engine, for what keeps one from being opened is what it is asked about.
pub(crate) fn run(global: &Global, printer: &Printer, arguments: &Arguments) -> Done {
    let environment = Environment::of_process();
    let log = Log::start(&environment, &Destination::Stderr)?;
    if let Some(warning) = filter_warning(&environment) {
        printer.warn(warning);
    }
    let Examination { checks, engine } = examine(
        &OpenOptions {
            environment,
            repository: main_checkout_of(&current_directory()?),
            flags: global.overrides.clone(),
            program: own_program()?,
            clock: Clock::System,
        },
        arguments.fix,
    );
    if let Some(engine) = engine {
        log.learn(engine.redactor());
        Printer::choose_color(engine.settings().settings.ui.color);
    }
    let report = doctor::report(&checks);
    if printer.json {
        printer.json(&report);
    } else {
        for check in &checks {
            show(printer, check);
        }
    }
    Ok(if report.healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAILED)
    })
}

fn show(printer: &Printer, check: &Diagnosis) {
    let mark = match check.health {
        Health::Good => format!("{GREEN}ok{GREEN:#}   "),
        Health::Fixed => format!("{BLUE}fixed{BLUE:#}"),
        Health::Note => format!("{YELLOW}note{YELLOW:#} "),
        Health::Bad => format!("{RED}bad{RED:#}  "),
    };
    let name = visible_line(&check.name);
    printer.line(format!("{mark} {name}: {}", visible_line(&check.detail)));
    if let Some(hint) = &check.hint {
        let hint = visible_line(hint);
        printer.line(format!("      {DIM}{hint}{DIM:#}"));
    }
}
