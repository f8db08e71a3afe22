//! `guard`: what changed outside of a session's worktree while its agent ran.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::{Isolation, IterationNumber, SandboxRecord, visible, visible_line};
use orchestra_engine::GuardReport;

use crate::Done;
use crate::context::Context;
use crate::printer::{BOLD, RED};
use orchestra_server::review;

/// What changed outside of a session's worktree while its agent ran
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  guard login
  guard login --iteration 2
  guard login --json

Nothing of it was undone. An agent cannot be told from a person who worked in the repository meanwhile.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// Another iteration than the last
    #[arg(long, value_name = "NUMBER")]
    iteration: Option<u32>,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let id = context.session(&arguments.session)?.session.id;
    let number = arguments.iteration.map(IterationNumber);
    let (seq, report) = review::guard(&context.engine, &id, number)?;
    if context.printer.json {
        let answer = review::guard_answer(id, seq, report);
        context.printer.json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    match report {
        Some(report) => show(context, &report),
        None => context.printer.line("no agent was started"),
    }
    Ok(ExitCode::SUCCESS)
}

fn show(context: &Context, report: &GuardReport) {
    let (record, number) = (&report.record, report.iteration);
    if record.held == Isolation::None {
        let line = format!("nobody looked while iteration {number} ran: its isolation was `none`");
        return context.printer.line(line);
    }
    if let Some(sandbox) = &record.sandbox {
        show_sandbox(context, sandbox);
    }
    for left in &record.left {
        context.printer.line(visible_line(left));
    }
    if record.held == Isolation::Sandbox {
        return;
    }
    if let Some(problem) = &record.problem {
        let problem = visible_line(problem);
        let line = format!("not everything could be looked at: {problem}");
        context.printer.line(line);
    }
    if !record.is_tripped() && record.problem.is_some() {
        return;
    }
    if !record.is_tripped() {
        let line = format!("nothing changed outside of the worktree while iteration {number} ran");
        return context.printer.line(line);
    }
    context.printer.line(format!(
        "{RED}changed outside of the worktree{RED:#} while the agent of iteration {number} ran, by it or by somebody else:"
    ));
    for finding in &record.findings {
        let (place, what) = (finding.place.in_words(), visible_line(&finding.what));
        context
            .printer
            .line(format!("  {BOLD}{place:<14}{BOLD:#} {what}"));
    }
    if record.more > 0 {
        context.printer.line(format!("  and {} more", record.more));
    }
    context.printer.line(format!("\n{}", visible(&report.diff)));
}

fn show_sandbox(context: &Context, sandbox: &SandboxRecord) {
    let (tried, stopped) = sandbox.counts();
    let layers = sandbox.layers.join(" and ");
    context.printer.line(format!(
        "in a sandbox of {layers}: {stopped} of {tried} ways out were stopped when it was tried last"
    ));
    for escape in &sandbox.escapes {
        let (end, by) = (
            escape.end.in_words(),
            escape.by.as_deref().unwrap_or_default(),
        );
        let what = &escape.escape;
        context
            .printer
            .line(format!("  {what:<42} {BOLD}{end}{BOLD:#} {by}"));
    }
    for missing in &sandbox.missing {
        context
            .printer
            .line(format!("this machine has no {missing}"));
    }
    let network = sandbox.network.join(", ");
    context.printer.line(format!("network: {network}"));
}
