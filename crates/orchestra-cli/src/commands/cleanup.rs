//! `cleanup`: move a session's worktree into the trash.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::{SessionId, TrashName, visible_line};
use orchestra_engine::{
    BranchChoice, BranchEnd, Cleaned, Cleanup, CleanupPlan, Consent, DatabaseChoice, DatabaseEnd,
    EngineError, SessionView, TEARDOWN, Teardown,
};

use super::allowed;
use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::screen;
use orchestra_server::housekeeping;

/// Move a session's worktree into the trash
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cleanup login --dry-run            what would happen
  cleanup login                      its work has landed: the worktree goes, the branch stays
  cleanup login --delete-branch      the branch goes too, now or later
  cleanup login --delete-database    its databases are dropped, for good, now or later
  cleanup login --even-unlanded --even-dirty

Its servers are ended, then the command in commands.teardown runs in the worktree; if that
fails, nothing is cleaned up.
Nothing is lost: the worktree lies in the trash for as long as git.trash_retention says, and
`undo` or `orchestra trash restore` brings it back as it was, the branch included. Databases stay
unless you want them dropped, and then they are gone.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// Delete the branch too, if nobody moved it; the trash keeps its commits
    #[arg(long)]
    delete_branch: bool,
    /// Stop what runs in the session first; its work is kept
    #[arg(long)]
    stop: bool,
    /// Also if the work is not part of the base
    #[arg(long)]
    even_unlanded: bool,
    /// Also if something is not committed
    #[arg(long)]
    even_dirty: bool,
    /// Drop its databases too, for good: `undo` cannot bring them back
    #[arg(long)]
    delete_database: bool,
    /// Do not run the command in commands.teardown
    #[arg(long)]
    without_teardown: bool,
    /// Allow the commands it runs if they come from the repository's own settings file
    #[arg(long, short)]
    yes: bool,
    /// Only say what would happen
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    context.in_session(&arguments.session, |there, view| {
        clean_up(there, view, arguments)
    })
}

impl Arguments {
    fn request(&self) -> Cleanup {
        Cleanup {
            databases: match self.delete_database {
                true => DatabaseChoice::Drop,
                false => DatabaseChoice::Keep,
            },
            teardown: match self.without_teardown {
                true => Teardown::Skip,
                false => Teardown::Run,
            },
            branch: match self.delete_branch {
                true => BranchChoice::Delete,
                false => BranchChoice::Keep,
            },
            unlanded: Consent::given_if(self.even_unlanded),
            dirty: Consent::given_if(self.even_dirty),
        }
    }

    fn work(&self) -> RunningWork {
        match self.stop {
            true => RunningWork::IsStopped,
            false => RunningWork::Refuses,
        }
    }
}

/// What becomes of a cleanup where something runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunningWork {
    Refuses,
    IsStopped,
}

fn clean_up(context: &Context, view: &SessionView, arguments: &Arguments) -> Done {
    let (id, request) = (&view.session.id, arguments.request());
    if arguments.dry_run {
        let plan = context.engine.plan_cleanup(id, request)?;
        return foretell(context, &plan, arguments.work());
    }
    ask_for_commands(context, view, arguments)?;
    if arguments.work() == RunningWork::IsStopped && context.engine.stop_for_cleanup(id)? {
        context
            .printer
            .note("what ran was stopped; its work is kept");
    }
    if arguments.delete_database {
        let plan = context.engine.plan_cleanup(id, request)?;
        warn_of_drop(context, &plan, arguments.work());
    }
    let cleaned = context.engine.cleanup(id, request)?;
    tell_besides(context, &cleaned);
    if context.printer.json {
        let answer = housekeeping::cleaned(&context.engine, &cleaned)?;
        context.printer.json(&answer);
    } else {
        tell_done(context, &cleaned);
    }
    Ok(ExitCode::SUCCESS)
}

/// What happened beside the cleanup itself.
fn tell_besides(context: &Context, cleaned: &Cleaned) {
    for run in &cleaned.plan.servers {
        let name = visible_line(&run.script);
        context.printer.note(format!("its server {name} was ended"));
    }
    if let BranchEnd::Kept(why) = &cleaned.branch {
        context
            .printer
            .warn(format!("the branch was not deleted: {why}"));
    }
    if let Some(problem) = &cleaned.artifact_problem {
        context.printer.warn(problem);
    }
}

fn tell_done(context: &Context, cleaned: &Cleaned) {
    let id = &cleaned.plan.view.session.id;
    let is_deleted = cleaned.branch == BranchEnd::Deleted;
    context.printer.line(match &cleaned.plan.in_trash {
        None => format!("{id}  in the trash: {}", cleaned.entry),
        Some(entry) if cleaned.plan.is_done_before() => cleaned_up_already(id, entry),
        Some(entry) if is_deleted => {
            format!("{id}  branch deleted; its worktree stays in the trash: {entry}")
        }
        Some(_) if cleaned.plan.drops_for_good() => format!("{id}  databases dropped"),
        Some(entry) => format!(
            "{id}  its leases of databases have ended; its worktree stays in the trash: {entry}"
        ),
    });
    tell(context, &cleaned.plan, is_deleted.then_some("deleted"));
    context.printer.note(format!(
        "\nNext:\n  orchestra session undo {id}     brings it back\n  orchestra trash list            what lies in the trash, and for how long"
    ));
}

fn ask_for_commands(
    context: &Context,
    view: &SessionView,
    arguments: &Arguments,
) -> Result<(), CliError> {
    let repository = &view.repository;
    let mut commands = Vec::new();
    if !arguments.without_teardown && view.session.trash.is_none() {
        let teardown = context
            .engine
            .project_command(Some(repository.id), TEARDOWN)?;
        commands.extend(teardown);
    }
    if arguments.delete_database {
        commands.extend(context.engine.drop_commands(view)?);
    }
    let consent = Consent::given_if(arguments.yes);
    allowed::ask_until_run(context, repository, commands, consent)?;
    Ok(())
}

/// What cannot be brought back is told before, unless the cleanup is refused anyway.
fn warn_of_drop(context: &Context, plan: &CleanupPlan, work: RunningWork) {
    if require_possible(plan, work).is_err() {
        return;
    }
    for (database, end) in &plan.databases {
        if *end != DatabaseEnd::Dropped {
            continue;
        }
        context.printer.warn(format!(
            "the database {} ({}) goes for good: `undo` does not bring it back",
            database.name,
            visible_line(&database.location)
        ));
    }
}

/// What would happen, or the refusal that would.
fn foretell(context: &Context, plan: &CleanupPlan, work: RunningWork) -> Done {
    require_possible(plan, work)?;
    if context.printer.json {
        let answer = housekeeping::foretold_cleanup(&context.engine, plan)?;
        context.printer.json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let id = &plan.view.session.id;
    context.printer.line(match &plan.in_trash {
        None => format!("{id}  would be cleaned up"),
        Some(entry) if plan.is_done_before() => cleaned_up_already(id, entry),
        Some(_) if plan.deletes_branch_at.is_some() => {
            format!("{id}  its branch would be deleted")
        }
        Some(_) if plan.drops_for_good() => format!("{id}  its databases would be dropped"),
        Some(_) => format!("{id}  its leases of databases would end"),
    });
    foretell_first(context, plan);
    let deleted = plan.deletes_branch_at.as_ref();
    tell(context, plan, deleted.map(|_| "would be deleted"));
    context.printer.note("nothing was done");
    Ok(ExitCode::SUCCESS)
}

fn require_possible(plan: &CleanupPlan, work: RunningWork) -> Result<(), CliError> {
    if plan.view.work().is_some() && work == RunningWork::Refuses {
        let id = &plan.view.session.id;
        return Err(CliError::refused(
            "session.busy",
            format!("the session {id} is {}", plan.view.status),
            "pass --stop: what runs is stopped first, and its work is kept",
        ));
    }
    if !plan.is_done_before() {
        plan.require_possible().map_err(EngineError::from)?;
    }
    Ok(())
}

/// What would come before the worktree goes.
fn foretell_first(context: &Context, plan: &CleanupPlan) {
    let first = |what: String| context.printer.line(format!("  first     {what}"));
    if plan.view.work().is_some() {
        first("what runs in it would be stopped".to_owned());
    }
    for run in &plan.servers {
        let name = visible_line(&run.script);
        first(format!("its server {name} would be ended"));
    }
    if let Some(teardown) = &plan.teardown {
        let shown = visible_line(&context.engine.redact(&teardown.command));
        first(format!("{shown} would run"));
    }
}

fn cleaned_up_already(id: &SessionId, entry: &TrashName) -> String {
    format!("{id}  cleaned up already; its worktree is in the trash: {entry}")
}

/// `deleted` is what is said of the branch if it goes.
fn tell(context: &Context, plan: &CleanupPlan, deleted: Option<&str>) {
    let row = |label: &str, value: String| {
        context.printer.line(format!("  {label:<9} {value}"));
    };
    row("worktree", worktree_words(plan));
    let base = plan.view.session.base_name();
    let landed = plan.landed.clone();
    let landed = landed.unwrap_or_else(|| format!("no, it is not part of {base}"));
    row("landed", landed);
    if plan.uncommitted > 0 {
        let count = plan.uncommitted;
        let changes = format!("{count} path(s) uncommitted, kept in the trash");
        row("changes", changes);
    }
    for (database, end) in &plan.databases {
        let place = visible_line(&database.location);
        let end = end_words(*end);
        row("database", format!("{} ({place}), {end}", database.name));
    }
    row("branch", branch_words(plan, deleted));
}

fn end_words(end: DatabaseEnd) -> &'static str {
    match end {
        DatabaseEnd::Dropped => "for good",
        DatabaseEnd::InTrash => "in the trash with the worktree",
        DatabaseEnd::NotThere => "nothing is there",
    }
}

fn worktree_words(plan: &CleanupPlan) -> String {
    match (&plan.directory, &plan.in_trash) {
        (_, Some(_)) => "in the trash already".to_owned(),
        (Some(path), None) => screen::path(path),
        (None, None) => {
            "its directory is gone; git's own record of it goes into the trash".to_owned()
        }
    }
}

fn branch_words(plan: &CleanupPlan, deleted: Option<&str>) -> String {
    let branch = &plan.view.session.branch;
    match (&plan.deletes_branch_at, deleted) {
        (Some(commit), Some(deleted)) => format!("{branch} {deleted}, at {}", commit.short()),
        _ if plan.branch_is_gone => format!("{branch} is gone already"),
        _ => format!("{branch} stays"),
    }
}
