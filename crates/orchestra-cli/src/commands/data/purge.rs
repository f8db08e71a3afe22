//! `data purge`: transcripts or logs go for good.

use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgGroup, Args};
use orchestra_api::PurgeReport;
use orchestra_core::{DataKind, SessionId, Timestamp};
use orchestra_engine::{
    Clock, Consent, EngineError, ListRequest, Removed, RemovedRow, SessionView, size_in_words,
};

use crate::Done;
use crate::ask::{self, Preset};
use crate::commands::new::duration;
use crate::context::Context;
use crate::error::{CliError, FAILED};
use crate::render::table::Table;
use orchestra_server::wire;

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

/// What would go, and who is left alone.
#[derive(Default)]
struct Plan {
    rows: Vec<RemovedRow>,
    skipped: Vec<SessionId>,
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
    let kinds = arguments.kinds();
    let mut plan = Plan::default();
    for text in &arguments.sessions {
        let id = context.session(text)?.session.id;
        plan.rows.extend(context.engine.plan_removal(&id, &kinds)?);
    }
    if !arguments.sessions.is_empty() {
        return Ok(plan);
    }
    let request = ListRequest {
        archived: true,
        ..ListRequest::default()
    };
    let sessions = context.engine.list_sessions(&request)?.sessions;
    for view in sessions.iter().filter(|view| arguments.means(view)) {
        let id = &view.session.id;
        match context.engine.plan_removal(id, &kinds) {
            Err(EngineError::Busy { .. } | EngineError::WrongState { .. }) => {
                plan.skipped.push(id.clone());
            }
            rows => plan.rows.extend(rows?),
        }
    }
    Ok(plan)
}

impl Arguments {
    fn kinds(&self) -> Vec<DataKind> {
        let wanted = |kind: &DataKind| match kind {
            DataKind::Transcripts => self.transcripts || self.everything,
            DataKind::Logs => self.logs || self.everything,
        };
        DataKind::ALL.into_iter().filter(wanted).collect()
    }

    fn means(&self, view: &SessionView) -> bool {
        let Some(age) = self.older_than else {
            return true;
        };
        let session = &view.session;
        let used: Timestamp = session.last_run.unwrap_or(session.created_at);
        let unused = Clock::System.now().duration_since(used);
        unused.is_positive() && unused.unsigned_abs() >= age
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
        printer.json(&PurgeReport {
            seq: context.engine.last_seq()?,
            dry_run: arguments.dry_run,
            removed: removed.rows.iter().map(wire::removed_data).collect(),
            bytes: removed.bytes(),
            skipped,
            problems: removed.problems.clone(),
        });
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
