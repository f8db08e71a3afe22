//! `status`: one session in detail.

use std::fmt::Display;
use std::process::ExitCode;

use clap::Args;
use orchestra_api::{FileChange, SessionDetail};
use orchestra_core::{
    Approval, GitFacts, Iteration, Operation, OperationKind, OperationState, PermissionPolicy,
    PortLease, ScriptRun, ServerState, Session, SessionDatabase, SetupState, visible_line,
};
use orchestra_engine::{AFTER_MERGE, BudgetUse, Clock, PushState, SessionView, WayBack};

use crate::Done;
use crate::commands::sandbox::escapes_line;
use crate::context::Context;
use crate::error::CliError;
use crate::printer::{BOLD, DIM, RED, YELLOW};
use crate::render::{board, needs, screen, summary};
use orchestra_server::session_detail::{self, Detail};
use orchestra_server::time;

/// One session in detail
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  status login
  status login --json")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let begun = Clock::System.now();
    let detail = find(context, &arguments.session)?;
    if context.printer.json {
        context.printer.json(&detail.answer(&context.engine));
        return Ok(ExitCode::SUCCESS);
    }
    show(context, &detail)?;
    if detail.view.needs_user() {
        let needed = needs::what_it_needs(&detail.view, begun);
        context.printer.line(format!("\n{needed}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// A session in detail, as it is now.
pub(crate) fn answer(context: &Context, session: &str) -> Result<SessionDetail, CliError> {
    Ok(find(context, session)?.answer(&context.engine))
}

fn find(context: &Context, session: &str) -> Result<Detail, CliError> {
    let found = context.session(session)?;
    Ok(session_detail::load(&context.engine, found)?)
}

fn show(context: &Context, detail: &Detail) -> Result<(), CliError> {
    let view = &detail.view;
    show_session(context, view);
    if let Some(used) = &detail.budget {
        row(context, "budget", budget_line(used));
    }
    show_leases(context, &detail.ports, &detail.databases);
    if !detail.artifacts.is_empty() {
        let folder = screen::path(&detail.artifacts_folder);
        let line = format!("{} file(s) in {folder}", detail.artifacts.len());
        row(context, "artifacts", line);
    }
    if let Some(pushed) = &detail.pushed {
        row(context, "pushed", pushed_line(pushed));
    }
    if let Some(run) = &detail.after_merge {
        show_after_merge(context, run);
    }
    if let Some(approval) = &view.session.approval {
        let line = approval_line(approval, detail.approval_counts);
        row(context, "approved", line);
    }
    show_other_checkout(context, view)?;
    if let Some(changes) = &detail.changes {
        show_changes(context, changes);
    }
    Ok(())
}

fn show_other_checkout(context: &Context, view: &SessionView) -> Result<(), CliError> {
    let Some(other) = view.other_checkout() else {
        return Ok(());
    };
    let problem = other.problem(&view.session.branch);
    row(context, "checkout", visible_line(&problem));
    for WayBack { command, does } in context.engine.ways_back(&view.session, other)? {
        let command = visible_line(&command);
        context.printer.note(format!("  {command}   {does}"));
    }
    Ok(())
}

fn show_session(context: &Context, view: &SessionView) {
    let session = &view.session;
    context.printer.line(format!(
        "{BOLD}{}{BOLD:#}  {}  {}",
        session.id,
        visible_line(session.name.as_str()),
        board::colored_status(view.status)
    ));
    row(context, "branch", visible_line(&summary::branch_line(view)));
    for (label, value) in rows(session) {
        row(context, label, visible_line(&value));
    }
    if let Some(tools) = tools_line(session, context.engine.permissions_of(session)) {
        row(context, "tools", visible_line(&tools));
    }
    if let Some(git) = &view.git {
        row(context, "git", git_line(session, git));
    }
    if let Some(landed) = summary::landed_line(view) {
        let passed_over = passed_over(context, session);
        row(context, "landed", visible_line(&landed) + &passed_over);
    }
    if let Some(disk) = &view.disk {
        row(context, "disk", summary::disk_line(disk));
    }
    row(context, "isolation", context.engine.isolation_of(session));
    show_runs(context, view);
    if let Some(iteration) = &view.iteration {
        row(context, "last run", summary::iteration_line(iteration));
        if let Some(message) = &iteration.message {
            row(context, "", format!("{DIM}{}{DIM:#}", first_line(message)));
        }
        show_guard(context, iteration);
        show_sandbox(context, iteration);
    }
}

/// What held its agent, as it was tried.
fn show_sandbox(context: &Context, iteration: &Iteration) {
    let record = iteration.isolation.as_ref();
    let Some(sandbox) = record.and_then(|record| record.sandbox.as_ref()) else {
        return;
    };
    let layers = sandbox.layers.join(" and ");
    let (stopped, tried) = (escapes_line(&sandbox.escapes), time::ago(sandbox.tried_at));
    let network = sandbox.network.join(", ");
    let line = format!("{layers}; {stopped}, tried {tried}; network: {network}");
    row(context, "sandbox", visible_line(&line));
    for layer in &sandbox.missing {
        row(
            context,
            "",
            format!("{YELLOW}without {layer}{YELLOW:#}, which this machine does not have"),
        );
    }
}

/// What changed outside of the worktree while its agent ran.
fn show_guard(context: &Context, iteration: &Iteration) {
    let record = iteration.isolation.as_ref();
    let Some(record) = record.filter(|record| record.is_tripped()) else {
        return;
    };
    let (count, id) = (record.count(), &iteration.session);
    let line = format!(
        "{RED}{count} change(s) outside of the worktree{RED:#} while the agent ran; `orchestra session guard {id}` shows them"
    );
    row(context, "guard", line);
}

/// The script that runs, the servers, and a set-up that did not come to a good end.
fn show_runs(context: &Context, view: &SessionView) {
    if let Some(run) = &view.script_run {
        let (what, since) = (summary::script_name(run), time::ago(run.started_at));
        let command = visible_line(&run.command);
        let line = format!("{what}, started {since}: {command}");
        row(context, "runs", line);
    }
    for run in view.servers.iter().filter(|run| is_worth_a_line(run)) {
        row(context, "server", summary::server_line(run));
    }
    show_setup(context, view);
}

/// How the set-up stands, where that is worth a line, and what helps.
fn show_setup(context: &Context, view: &SessionView) {
    if view.setup == SetupState::Outdated {
        let id = &view.session.id;
        let how = view.setup.in_words();
        let line = format!("{how}; `orchestra session setup {id}` makes it");
        return row(context, "set-up", line);
    }
    let Some(run) = view.setup_run.as_ref().filter(|_| view.lacks_setup()) else {
        return;
    };
    let (how, since) = (view.setup.in_words(), time::ago(run.started_at));
    let log = || screen::path(&context.engine.script_log(run));
    let line = match view.setup {
        SetupState::NotAllowed => format!("{how}, {since}"),
        SetupState::Cleared => format!("{how}: directories that it makes were removed"),
        _ => format!("{how}, {since}{}; its log is {}", summary::why(run), log()),
    };
    row(context, "set-up", line);
    let hint = run
        .problem
        .as_ref()
        .and_then(|problem| problem.hint.as_ref());
    if let Some(hint) = hint {
        let hint = visible_line(hint);
        row(context, "", format!("{DIM}hint: {hint}{DIM:#}"));
    }
}

/// What ran after the merge and came to no good end, and how it is done again.
fn show_after_merge(context: &Context, run: &ScriptRun) {
    let Some(end) = run.finished.filter(|end| !end.result.passed()) else {
        return;
    };
    let how = summary::ended_by(run).unwrap_or_else(|| match end.result.exit_code() {
        Some(code) => format!("failed with exit code {code}"),
        None => format!("did not come to its end{}", summary::why(run)),
    });
    let log = screen::path(&context.engine.script_log(run));
    let when = time::ago(end.at);
    row(
        context,
        "after",
        format!("`{AFTER_MERGE}` {how}, {when}; its log is {log}"),
    );
    let again = format!("orchestra session merge {} --after-merge", run.session);
    row(context, "", format!("{DIM}{again} runs it again{DIM:#}"));
}

/// A server that somebody stopped is nothing to tell of.
fn is_worth_a_line(run: &ScriptRun) -> bool {
    ServerState::of(run).is_some_and(|state| state != ServerState::Stopped)
}

fn show_leases(context: &Context, ports: &[PortLease], databases: &[SessionDatabase]) {
    if !ports.is_empty() {
        let blocks = ports
            .iter()
            .map(|lease| format!("{} {}", lease.name, summary::ports(lease)));
        row(context, "ports", blocks.collect::<Vec<_>>().join(", "));
    }
    for database in databases {
        let (name, state) = (&database.name, database.state.name());
        let location = visible_line(&database.location);
        let kind = database.kind.name();
        row(
            context,
            "database",
            format!("{name} ({kind}, {state}): {location}"),
        );
    }
}

/// The session with the space it takes, counted now unless that takes long.
/// Who approved what, and whether that is what the session has now.
fn approval_line(approval: &Approval, counts: Option<bool>) -> String {
    let by = visible_line(approval.by.as_deref().unwrap_or("somebody"));
    let (at, when) = (approval.commit.short(), time::ago(approval.at));
    let since = match counts {
        Some(false) => "; it has changed since",
        Some(true) | None => "",
    };
    format!("by {by} {when}, at {at}{since}")
}

fn pushed_line(pushed: &PushState) -> String {
    let there = format!("{} at {}", pushed.remote, pushed.commit.short());
    match (pushed.ahead, pushed.behind) {
        (0, 0) => format!("{there}, up to date"),
        (ahead, 0) => format!("{there}, {ahead} commit(s) not pushed"),
        (0, behind) => format!("{there}, which has {behind} commit(s) more"),
        (ahead, behind) => {
            format!("{there}, {ahead} commit(s) not pushed, {behind} only there")
        }
    }
}

fn row(context: &Context, label: &str, value: impl Display) {
    context.printer.line(format!("  {label:<9} {value}"));
}

/// What is recorded of a session; fields that are not set are left out.
fn rows(session: &Session) -> Vec<(&'static str, String)> {
    let agent = [Some(session.agent.clone()), session.model.clone()];
    let rows = [
        ("worktree", Some(summary::worktree_line(session))),
        (
            "agent",
            Some(agent.into_iter().flatten().collect::<Vec<_>>().join(", ")),
        ),
        ("env", session.runtime.environment.clone()),
        ("mode", session.runtime.mode.clone()),
        ("issue", session.issue.clone()),
        ("script", session.script.clone()),
        ("prompt", Some(first_line(&session.prompt))),
        ("notes", session.notes.as_deref().map(first_line)),
        ("created", Some(created_line(session))),
        ("archived", archived_line(session)),
    ];
    rows.into_iter()
        .filter_map(|(label, value)| Some((label, value?)))
        .collect()
}

/// What the agent may do, unless that is everything because nobody said anything else.
/// What a session may use, and has used.
fn budget_line(used: &BudgetUse) -> String {
    let tokens = used.usage.map(|usage| format!("{} tokens", usage.total()));
    let cost = used.cost.map(summary::money);
    let spent: Vec<String> = [cost, tokens].into_iter().flatten().collect();
    match spent.is_empty() {
        true => format!("{}, nothing used so far", used.budget),
        false => format!("{}, {} used", used.budget, spent.join(" and ")),
    }
}

fn tools_line(session: &Session, policy: PermissionPolicy) -> Option<String> {
    let means = match policy {
        PermissionPolicy::Allow if session.permissions.is_none() => return None,
        PermissionPolicy::Allow => "the agent may use all",
        PermissionPolicy::Rules => "what no rule allows is rejected",
        PermissionPolicy::Ask => "you decide what no rule speaks of",
    };
    let rules = session.rules.iter().map(|rule| format!("`{rule}`"));
    let own = match rules.collect::<Vec<_>>().join(", ") {
        rules if rules.is_empty() => rules,
        rules => format!("; its own rules: {rules}"),
    };
    Some(format!("{policy}: {means}{own}"))
}

/// When it was made, and by whom if not by the user.
fn created_line(session: &Session) -> String {
    let when = time::ago(session.created_at);
    match &session.made_by {
        Some(caller) => format!("{when} by {caller}"),
        None => when,
    }
}

fn archived_line(session: &Session) -> Option<String> {
    let when = time::ago(session.archived_at?);
    let id = &session.id;
    Some(format!(
        "{when}; `orchestra session archive {id} --undo` brings it back"
    ))
}

fn git_line(session: &Session, git: &GitFacts) -> String {
    let number = |count: Option<u32>| count.map_or("?".to_owned(), |count| count.to_string());
    let dirty = match git.dirty {
        Some(true) => "uncommitted changes",
        Some(false) => "clean",
        None => "not known whether clean",
    };
    format!(
        "{} ahead, {} behind {}, {dirty}{}",
        number(git.ahead),
        number(git.behind),
        session.base_name(),
        time::age_note(git.checked_at)
    )
}

fn show_changes(context: &Context, changes: &[FileChange]) {
    let sum =
        |count: fn(&FileChange) -> Option<u64>| -> u64 { changes.iter().filter_map(count).sum() };
    row(
        context,
        "changes",
        format!(
            "{} file(s), +{} -{} since the base",
            changes.len(),
            sum(|change| change.insertions),
            sum(|change| change.deletions)
        ),
    );
}

/// More characters of one text than this are left to `--json`.
const LONGEST: usize = 300;

fn first_line(text: &str) -> String {
    let mut lines = text.lines();
    let first = visible_line(lines.next().unwrap_or_default());
    if let Some(cut) = screen::cut(&first, LONGEST) {
        format!("{cut} (`--json` has all)")
    } else if lines.next().is_some() {
        format!("{first} ...")
    } else {
        first
    }
}

/// What was passed over when it landed. Where that cannot be read now, `operations` tells why.
fn passed_over(context: &Context, session: &Session) -> String {
    let operations = context.engine.operations(&session.id).unwrap_or_default();
    let is_landing = |it: &&Operation| {
        it.kind == OperationKind::Merge
            && it.state == OperationState::Done
            && it.after.landed == session.landed
    };
    let landing = operations.iter().rfind(is_landing);
    landing.map(summary::passed_over).unwrap_or_default()
}
