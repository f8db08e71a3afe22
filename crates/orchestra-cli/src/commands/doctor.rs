//! `doctor`: check everything, repair what is ours.

use std::process::ExitCode;

use clap::Args;
use orchestra_api::DoctorReport;
use orchestra_core::visible;
use orchestra_engine::{Check, Health, Restored};

use crate::Done;
use crate::args::Manner;
use crate::context::Context;
use crate::error::FAILED;
use crate::printer::{BLUE, DIM, GREEN, RED, YELLOW};

/// Check everything sessions depend on, and repair what is ours
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doctor                          looks and changes nothing
  doctor --fix")]
pub(crate) struct Arguments {
    /// Repair what is ours
    #[arg(long)]
    pub(crate) fix: bool,
}

impl Arguments {
    pub(crate) fn manner(&self) -> Manner {
        match self.fix {
            true => Manner::Repairs,
            false => Manner::Looks,
        }
    }
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let restored = context.restored.as_ref().map(Restored::check);
    let mut checks: Vec<Check> = restored.into_iter().collect();
    checks.extend(context.engine.doctor(arguments.fix)?);
    if context.restored.is_some() {
        checks.extend(context.engine.unrecorded_work(context.root.as_deref())?);
    }
    let healthy = checks.iter().all(|check| check.health != Health::Bad);
    if context.printer.json {
        context.printer.json(&DoctorReport {
            healthy,
            checks: checks.iter().map(wire).collect(),
        });
    } else {
        for check in &checks {
            show(context, check);
        }
    }
    Ok(if healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAILED)
    })
}

fn show(context: &Context, check: &Check) {
    let mark = match check.health {
        Health::Good => format!("{GREEN}ok{GREEN:#}   "),
        Health::Fixed => format!("{BLUE}fixed{BLUE:#}"),
        Health::Note => format!("{YELLOW}note{YELLOW:#} "),
        Health::Bad => format!("{RED}bad{RED:#}  "),
    };
    context
        .printer
        .line(format!("{mark} {}: {}", check.name, visible(&check.detail)));
    if let Some(hint) = &check.hint {
        let hint = visible(hint);
        context.printer.line(format!("      {DIM}{hint}{DIM:#}"));
    }
}

fn wire(check: &Check) -> orchestra_api::Check {
    let health = match check.health {
        Health::Good => "good",
        Health::Fixed => "fixed",
        Health::Note => "note",
        Health::Bad => "bad",
    };
    orchestra_api::Check {
        name: check.name.clone(),
        health,
        detail: check.detail.clone(),
        hint: check.hint.clone(),
    }
}
