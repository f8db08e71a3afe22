//! `check`: whether a session may land.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::{BranchName, CheckState};
use orchestra_engine::CheckReport;

use crate::Done;
use crate::context::Context;
use crate::error::FAILED;
use crate::printer::{BLUE, DIM, GREEN, RED, YELLOW};
use orchestra_server::{base_note, landing};

/// Whether a session may land
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  check login
  check login --into release/2
  check login --json

Looks at: clean (nothing uncommitted), base (on top of it, or mergeable), script (passed on these very files), evaluators,
reviewed (`approve`), messages, migrations (no number twice), issue (mentioned). The setting landing.required_checks says which
of them `merge` insists on; others that fail are warnings. Ends with 0 if `merge` would land it.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// The branch it would land on [default: its base]
    #[arg(long, value_name = "BRANCH")]
    into: Option<BranchName>,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    context.in_session(&arguments.session, |context, view| {
        let id = &view.session.id;
        let report = context.engine.check(id, arguments.into.as_ref())?;
        if context.printer.json {
            let answer = landing::check_answer(&context.engine, &report)?;
            context.printer.json(&answer);
        } else {
            show(context, &report);
        }
        Ok(match report.passes() {
            true => ExitCode::SUCCESS,
            false => ExitCode::from(FAILED),
        })
    })
}

fn show(context: &Context, report: &CheckReport) {
    if let Some(note) = report.base.as_ref().and_then(base_note::landing_note) {
        context.printer.note(note);
    }
    for line in &report.lines {
        let is_required = report.required.contains(&line.name);
        let state = match line.state {
            CheckState::Pass => format!("{GREEN}pass{GREEN:#}"),
            CheckState::Fail if is_required => format!("{RED}FAIL{RED:#}"),
            CheckState::Fail => format!("{YELLOW}warn{YELLOW:#}"),
            CheckState::NotApplicable => format!("{DIM}  - {DIM:#}"),
        };
        context
            .printer
            .line(format!("{state}  {:<11} {}", line.name, line.text));
        if let Some(hint) = &line.hint {
            context
                .printer
                .line(format!("      {BLUE}hint:{BLUE:#} {hint}"));
        }
    }
    let (id, into) = (&report.view.session.id, &report.into);
    let has_landed = report.view.session.landed.is_some();
    match report.passes() {
        true if report.is_there && has_landed => context.printer.note(format!(
            "it has landed in `{into}`; nothing is left to land"
        )),
        true if report.is_there => context.printer.note(format!(
            "all of it is part of `{into}` already\n  orchestra session merge {id}   record that"
        )),
        true => context.printer.note(format!(
            "ready to land on `{into}`{}\n  orchestra session merge {id}   land it",
            warnings(report)
        )),
        false => context
            .printer
            .note(format!("not ready to land on `{into}`")),
    }
}

/// What fails and is not required, behind the sentence that it may land.
fn warnings(report: &CheckReport) -> String {
    let names: Vec<_> = report.failing().map(|line| line.name.to_string()).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(
            ", although these fail, which nothing requires: {}",
            names.join(", ")
        ),
    }
}
