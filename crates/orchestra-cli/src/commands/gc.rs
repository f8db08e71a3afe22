//! `gc`: housekeeping, on request and in the background.

mod databases;
mod regenerable;

use std::process::ExitCode;

use clap::Args;
use orchestra_config::Environment;
use orchestra_core::visible_line;
use orchestra_engine::{
    Clock, Consent, Gc, GcReport, OpenOptions, main_checkout_of, size_in_words, start_gc_if_due,
};

use crate::Done;
use crate::args::Global;
use crate::context::{Context, current_directory, own_program};
use crate::error::{CliError, FAILED};
use crate::render::screen;
use orchestra_server::wire;

/// Delete what is kept longer than the settings say, and finish what was cut off
#[derive(Debug, Clone, Copy, Args)]
#[command(after_help = "\
Examples:
  orchestra gc --dry-run
  orchestra gc
  orchestra gc --regenerable         dependencies and build results of sessions at rest go first
  orchestra gc --delete-databases    databases of sessions that were deleted for good go too

Directories that the project's commands make again (node_modules, target, .venv, dist and others,
and those that worktree.reuse names, if git ignores them) are shown first, with the space they would
free. --regenerable removes them where nothing works in the session or uses its directory, and names
the sessions that it leaves alone; a session without them is to be set up again. Databases of
sessions that were deleted for good are shown too; --delete-databases asks and drops them.

Worktrees in the trash are deleted after git.trash_retention, snapshots for undo and prompts of
sessions that could not be made after git.undo_retention. With git.auto_cleanup_worktrees, worktrees
of landed sessions that nobody used for a day go into the trash. Transcripts and logs of sessions
that are over go after data.keep_transcripts and data.keep_logs, if these are set. The same is done in the background
every git.worktree_gc_interval.")]
pub(crate) struct Arguments {
    /// Remove directories that can be made again from sessions at rest
    #[arg(long)]
    regenerable: bool,
    /// Drop databases of sessions that were deleted for good; nothing brings them back
    #[arg(long)]
    delete_databases: bool,
    /// Do not ask, and allow the commands that drop databases if they come from a repository's own settings file
    #[arg(long, short)]
    yes: bool,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Done {
    let done = keep_house(context, arguments)?;
    if context.printer.json {
        context.printer.json(&done.answer(context)?);
    } else {
        done.offer.show(context);
        show(context, &done.report, done.request);
        done.left.show(context);
        tell_sum(context, &done.report, done.request);
    }
    Ok(match done.report.problems.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(FAILED),
    })
}

/// What was done, or would be.
struct Housekeeping {
    request: Gc,
    offer: regenerable::Offer,
    left: databases::Left,
    report: GcReport,
}

fn keep_house(context: &Context, arguments: Arguments) -> Result<Housekeeping, CliError> {
    let consent = Consent::given_if(arguments.yes);
    let request = match arguments.dry_run {
        true => Gc::Foretell,
        false => Gc::Do,
    };
    let mut offer = regenerable::find(context)?;
    if !arguments.regenerable {
        // Nothing is removed anywhere.
        offer.left.skipped.clear();
    } else if request == Gc::Do {
        offer = regenerable::remove(context, offer, consent)?;
    }
    let agreed = match arguments.delete_databases && request == Gc::Do {
        true => Some(databases::agree(context, consent)?),
        false => None,
    };
    let mut report = context.engine.gc(request)?;
    let mut left = databases::find(context)?;
    if let Some(agreed) = &agreed {
        left = databases::drop_agreed(context, left, agreed)?;
    }
    report.freed_bytes += match arguments.regenerable && request == Gc::Foretell {
        true => offer.left.own_bytes(),
        false => offer.removed.own_bytes(),
    };
    let problems: Vec<String> = offer.problems().chain(&left.problems).cloned().collect();
    report.problems.splice(0..0, problems);
    Ok(Housekeeping {
        request,
        offer,
        left,
        report,
    })
}

impl Housekeeping {
    fn answer(&self, context: &Context) -> Result<orchestra_api::GcReport, CliError> {
        let report = &self.report;
        Ok(orchestra_api::GcReport {
            seq: context.engine.last_seq()?,
            dry_run: self.request == Gc::Foretell,
            regenerable: self.offer.rows(),
            skipped: self.offer.skipped().cloned().collect(),
            databases: self.left.rows(),
            recovered: report.recovered.clone(),
            cleaned: report.cleaned.iter().map(|(id, _)| id.clone()).collect(),
            deleted: report.deleted.iter().map(wire::trash_row).collect(),
            finished_deletions: report.finished,
            snapshots: report.snapshots,
            prompts: report.prompts,
            caches: report.caches,
            data: report.data.iter().map(wire::removed_data).collect(),
            freed_bytes: report.freed_bytes,
            damaged: report.damaged.clone(),
            problems: report.problems.clone(),
        })
    }
}

/// Starts the housekeeping in the background if it is due. No command fails because of it.
pub(crate) fn start_if_due(global: &Global) {
    let started = current_directory().and_then(|directory| {
        let options = OpenOptions {
            environment: Environment::of_process(),
            repository: main_checkout_of(&directory),
            flags: global.overrides.clone(),
            program: own_program()?,
            clock: Clock::System,
        };
        Ok(start_gc_if_due(&options)?)
    });
    if let Err(error) = started {
        tracing::debug!(
            code = error.code,
            message = error.message,
            "no housekeeping"
        );
    }
}

fn show(context: &Context, report: &GcReport, request: Gc) {
    let printer = &context.printer;
    for folder in &report.damaged {
        let folder = screen::path(folder);
        printer.warn(format!(
            "{folder} cannot be read; copy what you need and remove it"
        ));
    }
    for problem in &report.problems {
        printer.warn(problem);
    }
    for what in &report.recovered {
        printer.line(visible_line(what));
    }
    let (goes, is_deleted) = match request {
        Gc::Foretell => ("would go into the trash", "would be deleted"),
        Gc::Do => ("is in the trash now", "deleted"),
    };
    for (id, name) in &report.cleaned {
        let name = visible_line(name.as_str());
        printer.line(format!("{id} {name}: its worktree {goes}"));
    }
    for row in &report.deleted {
        let record = &row.entry.record;
        let name = visible_line(record.session_name.as_str());
        let id = &record.session;
        printer.line(format!("{id} {name}: {is_deleted} from the trash"));
    }
    if report.finished > 0 {
        printer.line(format!("{} deletion(s) finished", report.finished));
    }
    if report.snapshots > 0 {
        printer.line(format!("{} snapshot(s) {is_deleted}", report.snapshots));
    }
    if report.prompts > 0 {
        printer.line(format!("{} kept prompt(s) deleted", report.prompts));
    }
    for row in &report.data {
        let (id, name) = (&row.session, visible_line(row.name.as_str()));
        let (kind, size) = (row.kind.name(), size_in_words(row.amount.bytes));
        printer.line(format!("{id} {name}: {size} of {kind} {is_deleted}"));
    }
    if report.caches > 0 {
        printer.line(format!("{} cache(s) {is_deleted}", report.caches));
    }
}

fn tell_sum(context: &Context, report: &GcReport, request: Gc) {
    let freed = size_in_words(report.freed_bytes);
    context.printer.line(match request {
        Gc::Foretell => format!("{freed} would be freed; nothing was done"),
        Gc::Do => format!("{freed} freed"),
    });
}
