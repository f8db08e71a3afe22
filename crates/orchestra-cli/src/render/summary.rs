//! One-line summaries: an iteration, and what a session needs from the user.

use orchestra_core::status::Outcome;
use orchestra_core::{Iteration, Progress, ScriptRun, SessionStatus, visible, visible_line};
use orchestra_engine::SessionView;

use super::time;
use crate::context::Context;
use crate::printer::{BOLD, DIM, GREEN, RED, YELLOW};

/// Says at the end of a followed iteration how it went.
pub(crate) fn iteration(context: &Context, iteration: &Iteration) {
    if context.printer.json {
        return;
    }
    context
        .printer
        .note(format!("\n{}", iteration_line(iteration)));
    if let Some(message) = &iteration.message {
        context.printer.note(format!("  {}", visible(message)));
    }
    if matches!(
        iteration.progress,
        Progress::Finished(Outcome::AwaitingInput)
    ) {
        context.printer.note(format!(
            "  answer with: orchestra session answer {} \"...\"",
            iteration.session
        ));
    }
}

/// Number, outcome, commits, files, script, tokens, duration.
pub(crate) fn iteration_line(iteration: &Iteration) -> String {
    let wire = orchestra_api::Iteration::from(iteration);
    let outcome = match iteration.progress {
        Progress::Finished(Outcome::Succeeded) => format!("{GREEN}succeeded{GREEN:#}"),
        Progress::Finished(Outcome::AwaitingInput) => {
            format!("{YELLOW}waits for an answer{YELLOW:#}")
        }
        Progress::Finished(outcome) => format!("{RED}{}{RED:#}", outcome.name()),
        Progress::Queued | Progress::Agent | Progress::Commit | Progress::Script => {
            wire.state.to_owned()
        }
    };
    let mut parts = vec![format!("{BOLD}#{}{BOLD:#} {outcome}", iteration.number)];
    if !iteration.commits.is_empty() {
        parts.push(format!("{} commit(s)", iteration.commits.len()));
    }
    if let Some(files) = iteration.files_changed.filter(|files| *files > 0) {
        parts.push(format!("{files} file(s)"));
    }
    match iteration.script_passed {
        Some(true) => parts.push(format!("{GREEN}script passed{GREEN:#}")),
        Some(false) => parts.push(format!("{RED}script failed{RED:#}")),
        None => {}
    }
    if let Some(usage) = iteration.usage {
        parts.push(format!("{DIM}{} tokens{DIM:#}", usage.total()));
    }
    if let Some(duration) = wire.duration_ms {
        parts.push(format!("{DIM}{}{DIM:#}", time::span(duration)));
    }
    parts.join(", ")
}

/// What a script run is called: the session's own has no name of its own.
pub(crate) fn script_name(run: &ScriptRun) -> String {
    match run.script.as_str() {
        "script" => "script".to_owned(),
        name => format!("script {name}"),
    }
}

/// What a session needs from the user, with the command that gives it.
pub(crate) fn what_it_needs(view: &SessionView) -> String {
    let id = &view.session.id;
    let name = visible_line(view.session.name.as_str());
    let iteration = view.iteration.as_ref();
    let what = match view.status {
        SessionStatus::AwaitingInput => {
            let question = iteration
                .and_then(|iteration| iteration.summary.as_deref())
                .unwrap_or("a question");
            format!(
                "asks: {}\n    orchestra session answer {id} \"...\"",
                last_line(question)
            )
        }
        SessionStatus::Interrupted => {
            format!(
                "was interrupted\n    orchestra session resume {id} | commit {id} -m \"...\" | discard {id}"
            )
        }
        SessionStatus::Error if !view.session.worktree.exists() => {
            "has lost its directory; its branch has every commit\n    orchestra doctor   shows what can be done".to_owned()
        }
        SessionStatus::Error => {
            let message = iteration
                .and_then(|iteration| iteration.message.as_deref())
                .unwrap_or("its directory is missing");
            format!(
                "failed: {}\n    orchestra session iterate {id}   tries again",
                last_line(message)
            )
        }
        SessionStatus::Conflicted => "stopped at a conflict".to_owned(),
        SessionStatus::Idle => {
            format!("its script failed\n    orchestra session iterate {id}   tells the agent")
        }
        SessionStatus::Initializing
        | SessionStatus::Queued
        | SessionStatus::Running
        | SessionStatus::Blocked
        | SessionStatus::Evaluating
        | SessionStatus::Completed
        | SessionStatus::Unknown => format!("is {}", view.status),
    };
    format!("{BOLD}{id}{BOLD:#} {name} {what}")
}

fn last_line(text: &str) -> String {
    let mut lines = text.lines().rev();
    let last = lines.find(|line| !line.trim().is_empty());
    visible_line(last.unwrap_or_default().trim())
}
