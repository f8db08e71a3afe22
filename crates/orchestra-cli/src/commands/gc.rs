//! `gc`: housekeeping, on request and in the background.

mod databases;
mod regenerable;

use std::process::ExitCode;

use clap::Args;
use orchestra_api::ErrorBody;
use orchestra_config::Environment;
use orchestra_core::visible_line;
use orchestra_engine::{
    Clock, Consent, Gc, GcReport, OpenOptions, RegenerableListing, SessionView, main_checkout_of,
    size_in_words, start_gc_if_due,
};

use crate::Done;
use crate::args::Global;
use crate::context::{Context, current_directory, own_program};
use crate::error::{CliError, FAILED};
use crate::render::screen;
use orchestra_server::housekeeping::{self, Agreed, HouseOrder, Housekeeper, Housekeeping};

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
        context.printer.json(&done.answer(&context.engine)?);
    } else {
        regenerable::show(context, &done.offer);
        show(context, &done.report, done.request);
        databases::show(context, &done.left);
        tell_sum(context, &done.report, done.request);
    }
    Ok(match done.report.problems.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(FAILED),
    })
}

fn keep_house(context: &Context, arguments: Arguments) -> Result<Housekeeping, CliError> {
    let order = HouseOrder {
        request: match arguments.dry_run {
            true => Gc::Foretell,
            false => Gc::Do,
        },
        regenerable: arguments.regenerable,
        delete_databases: arguments.delete_databases,
    };
    let keeper = Keeper {
        context,
        consent: Consent::given_if(arguments.yes),
    };
    housekeeping::keep_house(&context.engine, order, &keeper)
}

/// The user, who is asked unless they said so before.
struct Keeper<'a> {
    context: &'a Context,
    consent: Consent,
}

impl Housekeeper for Keeper<'_> {
    type Error = CliError;

    fn agrees_to_remove(&self, found: &RegenerableListing) -> Result<bool, CliError> {
        Ok(self.consent == Consent::Given || regenerable::confirm(self.context, found)?)
    }

    fn agrees_to_drop(&self) -> Result<Agreed, CliError> {
        databases::agree(self.context, self.consent)
    }

    fn drop_databases(&self, view: &SessionView) -> Result<(), ErrorBody> {
        databases::drop_of(self.context, view, self.consent).map_err(|error| ErrorBody {
            code: error.code,
            message: error.message,
            hint: error.hint,
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
