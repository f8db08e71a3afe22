//! `data purge`: transcripts or logs go for good.

use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgGroup, Args};
use orchestra_core::{DataKind, SessionId};
use orchestra_engine::{Consent, Removed, size_in_words};
use orchestra_server::data::{self, Owners, Plan};

use crate::Done;
use crate::ask::{self, Preset};
use crate::commands::new::duration;
use crate::context::Context;
use crate::error::{CliError, FAILED};
use crate::render::table::Table;

/// Remove transcripts or logs of sessions for good
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("whose").args(["sessions", "all", "older_than"]).required(true))]
#[command(group = ArgGroup::new("what").args(["transcripts", "logs", "everything"]).required(true).multiple(true))]
#[command(after_help = "\
Examples:
  orchestra data purge login --transcripts
  orchestra data purge --older-than 90d --everything --dry-run
  orchestra data purge --all --logs --yes

What goes is listed first, and nothing brings it back; `orchestra data export` makes a copy before.
The database and its backups are written anew, so that the text is in none of their files any more.
The session, its events, its summaries, its worktree and its branch stay. A session at work is
refused, or left alone with --all and --older-than.")]
pub(crate) struct Arguments {
    /// Ids, unique prefixes or names
    sessions: Vec<String>,
    /// Every session
    #[arg(long)]
    all: bool,
    /// Every session that was not used for so long, such as 90d
    #[arg(long, value_name = "TIME", value_parser = duration)]
    older_than: Option<Duration>,
    /// What agents said and did, and all they wrote
    #[arg(long)]
    transcripts: bool,
    /// Logs of agents, scripts and runners
    #[arg(long)]
    logs: bool,
    /// Both
    #[arg(long)]
    everything: bool,
    /// Only say what would be removed
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let plan = plan(context, arguments)?;
    if !context.printer.json {
        show(context, &plan);
    }
    let wants = !arguments.dry_run && !plan.rows.is_empty();
    let consent = Consent::given_if(arguments.yes);
    if wants && consent == Consent::Missing && !confirm(context, &plan)? {
        context.printer.note("nothing was removed");
        return Ok(ExitCode::SUCCESS);
    }
    let removed = match wants {
        true => context.engine.remove_data(plan.rows, "on request"),
        false => Removed {
            rows: plan.rows,
            problems: Vec::new(),
        },
    };
    report(context, arguments, &removed, plan.skipped)?;
    Ok(match removed.problems.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(FAILED),
    })
}

fn plan(context: &Context, arguments: &Arguments) -> Result<Plan, CliError> {
    let owners = match arguments.older_than {
        Some(age) => Owners::Unused(age),
        None if arguments.all => Owners::All,
        None => {
            let sessions = arguments.sessions.iter();
            let ids = sessions.map(|text| Ok(context.session(text)?.session.id));
            Owners::These(ids.collect::<Result<_, CliError>>()?)
        }
    };
    Ok(data::plan(&context.engine, &owners, &arguments.kinds())?)
}

impl Arguments {
    fn kinds(&self) -> Vec<DataKind> {
        let wanted = |kind: &DataKind| match kind {
            DataKind::Transcripts => self.transcripts || self.everything,
            DataKind::Logs => self.logs || self.everything,
        };
        DataKind::ALL.into_iter().filter(wanted).collect()
    }
}

fn show(context: &Context, plan: &Plan) {
    if plan.rows.is_empty() {
        context.printer.note("there is nothing to remove");
        return;
    }
    let mut table = Table::new(&["SESSION", "WHAT", "ITEMS", "FILES", "SIZE"]);
    for row in &plan.rows {
        table.add([
            format!("{} {}", row.session, row.name),
            row.kind.name().to_owned(),
            row.amount.items.to_string(),
            row.amount.files.len().to_string(),
            size_in_words(row.amount.bytes),
        ]);
    }
    context.printer.line(table);
}

fn confirm(context: &Context, plan: &Plan) -> Result<bool, CliError> {
    let bytes = plan.rows.iter().map(|row| row.amount.bytes).sum();
    let size = size_in_words(bytes);
    let question = format!("Remove {size} for good?");
    let answer = ask::yes_or_no(&context.printer, &question, Preset::No)?;
    answer.ok_or_else(|| {
        CliError::refused(
            "data.not_confirmed",
            format!("nothing brings {size} of data back"),
            "pass --yes if that is what you want; `orchestra data export` makes a copy before",
        )
    })
}

fn report(
    context: &Context,
    arguments: &Arguments,
    removed: &Removed,
    skipped: Vec<SessionId>,
) -> Result<(), CliError> {
    let printer = &context.printer;
    if printer.json {
        let engine = &context.engine;
        let report = data::purge_report(engine, removed, skipped, arguments.dry_run)?;
        printer.json(&report);
        return Ok(());
    }
    for id in skipped {
        printer.note(format!("{id} is left alone: something works on it"));
    }
    for problem in &removed.problems {
        printer.warn(problem);
    }
    let size = size_in_words(removed.bytes());
    printer.line(match arguments.dry_run {
        true => format!("{size} would be removed; nothing was done"),
        false => format!("{size} removed"),
    });
    Ok(())
}
