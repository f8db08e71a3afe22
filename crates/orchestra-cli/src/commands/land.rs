//! `land`: several sessions one after another.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::{SessionId, visible_line};
use orchestra_engine::{
    AFTER_MERGE, Consent, EngineError, LandRequest, LandRow, LandState, LandStep, MergeOrder,
    SessionView, chain,
};

use super::merge::How;
use super::{afterwards, allowed, run};
use crate::Done;
use crate::context::Context;
use crate::error::{CliError, FAILED, REFUSED, SCRIPT_FAILED, exit_of};
use crate::render::table;
use orchestra_server::landing;

/// Land several sessions one after another
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  land login signup
  land login signup --depends-on schema          schema lands first
  land login signup --depends-on login:signup    signup lands before login
  land login signup --squash

Each session is put on top of what landed before it, its script runs there, everything is checked, and it is merged. It stops at
the first that cannot land; the same command again goes on there.")]
pub(crate) struct Arguments {
    /// Ids, unique prefixes or names
    #[arg(required = true)]
    sessions: Vec<String>,
    /// A session that lands before all of them, or LATER:EARLIER; can be repeated
    #[arg(long, value_name = "SESSION")]
    depends_on: Vec<String>,
    #[command(flatten)]
    how: How,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let mut views = Vec::new();
    for text in &arguments.sessions {
        views.push(context.session(text)?);
    }
    let sessions: Vec<SessionId> = views.iter().map(|view| view.session.id.clone()).collect();
    let Some(first) = views.first() else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut depends = Vec::new();
    for text in &arguments.depends_on {
        depends.extend(dependency(context, text, &sessions)?);
    }
    context.in_repository(&first.repository.root, |context| {
        let consent = arguments.how.consent();
        ask_for_scripts(context, &views, consent)?;
        let order = MergeOrder {
            merge: arguments.how.request(),
            after_merge: allowed::command(context, &first.repository, AFTER_MERGE, consent)?,
            push: false,
        };
        let request = LandRequest {
            sessions,
            depends,
            order,
        };
        land(context, &request)
    })
}

/// A session without a script of its own is tested with the repository's.
fn ask_for_scripts(
    context: &Context,
    views: &[SessionView],
    consent: Consent,
) -> Result<(), CliError> {
    for view in views {
        let script = match context.engine.script_command(&view.session, None) {
            Err(EngineError::ScriptMissing { .. }) => continue,
            found => found?,
        };
        allowed::ask_until_run(context, &view.repository, vec![script], consent)?;
    }
    Ok(())
}

/// A session alone comes before all of them, a pair says which before which.
fn dependency(
    context: &Context,
    text: &str,
    sessions: &[SessionId],
) -> Result<Vec<(SessionId, SessionId)>, CliError> {
    let alone = context.session(text);
    let (earlier, pair) = match (alone, text.split_once(':')) {
        (Ok(view), _) => (view.session.id, None),
        (Err(_), Some((later, earlier))) => {
            let later = context.session(later)?.session.id;
            (context.session(earlier)?.session.id, Some(later))
        }
        (Err(error), None) => return Err(error),
    };
    Ok(landing::dependencies(pair, &earlier, sessions))
}

fn land(context: &Context, request: &LandRequest) -> Done {
    let mut on_step = |view: &SessionView, step: LandStep<'_>| {
        context.printer.note(landing::step_in_words(view, step));
    };
    let rows = context.engine.land(request, &mut on_step)?;
    if context.printer.json {
        let answer = landing::land_answer(&context.engine, &rows)?;
        context.printer.json(&answer);
    } else {
        show(context, &rows);
    }
    Ok(exit_code(&rows))
}

fn show(context: &Context, rows: &[LandRow]) {
    let mut shown = table::Table::new(&["SESSION", "STATE", "COMMIT"]);
    for row in rows {
        let (state, commit) = match &row.state {
            LandState::Landed(done) => ("landed", done.merged.commit.short()),
            LandState::LandedBefore { commit } => ("landed before", commit.short()),
            LandState::Failed(_) => ("failed", "-"),
            LandState::ScriptFailed(_) => ("script failed", "-"),
            LandState::Waiting => ("not tried", "-"),
        };
        shown.add([row.name.to_string(), state.to_owned(), commit.to_owned()]);
    }
    context.printer.line(shown);
    for row in rows {
        tell(context, row);
    }
}

/// What the table has no room for.
fn tell(context: &Context, row: &LandRow) {
    match &row.state {
        LandState::Failed(error) => {
            let text = visible_line(&chain::text(error));
            context.printer.warn(format!("{}: {text}", row.name));
            if let Some(hint) = error.hint() {
                context.printer.note(format!("hint: {hint}"));
            }
        }
        LandState::ScriptFailed(run) => {
            run::tell(context, run);
            let id = &row.session;
            context.printer.note(format!(
                "  orchestra session log {id}       where its output is\n  orchestra session iterate {id}   let the agent put it right"
            ));
        }
        LandState::Landed(done) => afterwards::tell(context, &row.session, &done.afterwards),
        LandState::LandedBefore { .. } | LandState::Waiting => {}
    }
}

/// The code of the first that could not land. Where others landed in this run, something was changed.
fn exit_code(rows: &[LandRow]) -> ExitCode {
    let has_changed = rows
        .iter()
        .any(|row| matches!(row.state, LandState::Landed(_)));
    let mut failures = rows.iter().filter_map(|row| match &row.state {
        LandState::Failed(error) => Some(exit_of(error)),
        LandState::ScriptFailed(_) => Some(SCRIPT_FAILED),
        LandState::Landed(done) => afterwards::exit(&done.afterwards),
        LandState::LandedBefore { .. } | LandState::Waiting => None,
    });
    ExitCode::from(match failures.next() {
        Some(REFUSED) if has_changed => FAILED,
        first => first.unwrap_or_default(),
    })
}
