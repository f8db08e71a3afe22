//! One-line summaries: an iteration, and what a session needs from the user.

use orchestra_core::status::Outcome;
use orchestra_core::{
    FailureCause, Iteration, Progress, ScriptRun, Session, SessionStatus, Timestamp, visible,
    visible_line,
};
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
    if let Some(next) = next_step(context, iteration) {
        context.printer.note(format!("  {next}"));
    }
}

/// What the user does next, where the outcome asks for something.
fn next_step(context: &Context, iteration: &Iteration) -> Option<String> {
    let Progress::Finished(outcome) = iteration.progress else {
        return None;
    };
    if outcome == Outcome::AwaitingInput {
        let id = &iteration.session;
        return Some(format!(
            "answer with: orchestra session answer {id} \"...\""
        ));
    }
    let session = context.engine.session(&iteration.session).ok()?.session;
    if iteration.off_branch.is_some() {
        return way_back(&session, iteration).map(|command| format!("go back with: {command}"));
    }
    way_out(&session, outcome.cause()?)
}

/// What helps against the cause, with the command where it is the session's own doing.
fn way_out(session: &Session, cause: FailureCause) -> Option<String> {
    if cause == FailureCause::TimedOut && session.timeout.is_some() {
        let id = &session.id;
        return Some(format!(
            "give it longer: orchestra session set {id} timeout <time>"
        ));
    }
    cause.way_out().map(str::to_owned)
}

/// The commands that bring the session's branch back, with the commits that were made elsewhere.
fn way_back(session: &Session, iteration: &Iteration) -> Option<String> {
    let off = iteration.off_branch.as_ref()?;
    let git = format!("git -C '{}'", session.worktree.display());
    let switch = format!("{git} switch {}", session.branch);
    if off.commits == 0 {
        return Some(switch);
    }
    let from = match &off.branch {
        Some(branch) => branch.to_string(),
        None => iteration.head_after.as_ref()?.short().to_owned(),
    };
    Some(format!("{switch} && {git} merge {from}"))
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
    if let Some(off) = &iteration.off_branch {
        let there = match off.commits {
            0 => String::new(),
            count => format!(" with {count} commit(s)"),
        };
        parts.push(format!("{RED}off its branch{there}{RED:#}"));
    }
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

/// The branch and where it starts: a new one at its base, one that was there where it stands.
pub(crate) fn branch_line(view: &SessionView) -> String {
    let session = &view.session;
    let branch = &session.branch;
    if !session.branch_adopted {
        let (base, commit) = (session.base_name(), session.base_commit.short());
        return format!("{branch} (from {base} {commit})");
    }
    let head = view.git.as_ref().and_then(|git| git.head.as_ref());
    let at = head.map_or_else(String::new, |head| format!(" at {}", head.short()));
    format!("{branch}{at}, lands on {}", session.base_branch)
}

/// What a session needs from the user, with the command that gives it. What git said before `begun` may not hold any more.
pub(crate) fn what_it_needs(view: &SessionView, begun: Timestamp) -> String {
    let id = &view.session.id;
    let name = visible_line(view.session.name.as_str());
    let iteration = view.iteration.as_ref();
    let off_branch = iteration.and_then(|iteration| {
        let command = way_back(&view.session, iteration)?;
        let message = iteration.message.as_deref().unwrap_or("left its branch");
        Some(format!(
            "left its branch: {}\n    {command}",
            last_line(message)
        ))
    });
    let what = match view.status {
        SessionStatus::Idle | SessionStatus::Error if off_branch.is_some() => {
            off_branch.unwrap_or_default()
        }
        SessionStatus::AwaitingInput => {
            let question = iteration
                .and_then(|iteration| iteration.summary.as_deref())
                .unwrap_or("a question");
            format!(
                "asks: {}\n    orchestra session answer {id} \"...\"",
                last_line(question)
            )
        }
        SessionStatus::Interrupted if is_clean(view, begun) => format!(
            "was interrupted; nothing is uncommitted\n    orchestra session resume {id} | discard {id}"
        ),
        SessionStatus::Interrupted => format!(
            "was interrupted\n    orchestra session resume {id} | commit {id} -m \"...\" | discard {id}"
        ),
        SessionStatus::Error if !view.session.worktree.join(".git").exists() => {
            let loss = match view.session.worktree.exists() {
                true => "has lost git's link in its directory; the files are there",
                false => "has lost its directory; its branch has every commit",
            };
            format!("{loss}\n    orchestra doctor   shows what can be done")
        }
        SessionStatus::Error => {
            let message = iteration
                .and_then(|iteration| iteration.message.as_deref())
                .unwrap_or("its directory is missing");
            format!("failed: {}{}", last_line(message), try_again(view))
        }
        SessionStatus::Blocked => {
            let message = iteration
                .and_then(|iteration| iteration.message.as_deref())
                .unwrap_or("something outside makes it wait");
            format!("is blocked: {}{}", last_line(message), try_again(view))
        }
        SessionStatus::Conflicted => "stopped at a conflict".to_owned(),
        SessionStatus::Idle => {
            format!("its script failed\n    orchestra session iterate {id}   tells the agent")
        }
        SessionStatus::Initializing
        | SessionStatus::Queued
        | SessionStatus::Running
        | SessionStatus::Evaluating
        | SessionStatus::Completed
        | SessionStatus::Unknown => format!("is {}", view.status),
    };
    format!("{BOLD}{id}{BOLD:#} {name} {what}")
}

/// Whether git said just now that nothing is uncommitted.
fn is_clean(view: &SessionView, begun: Timestamp) -> bool {
    let facts = view.git.as_ref();
    facts.is_some_and(|git| git.dirty == Some(false) && git.checked_at >= begun)
}

/// What helps against the cause, and the command that tries again.
fn try_again(view: &SessionView) -> String {
    let progress = view.iteration.as_ref().map(|iteration| iteration.progress);
    let cause = match progress {
        Some(Progress::Finished(outcome)) => outcome.cause(),
        Some(Progress::Queued | Progress::Agent | Progress::Commit | Progress::Script) | None => {
            None
        }
    };
    let first = cause
        .and_then(|cause| way_out(&view.session, cause))
        .map_or_else(String::new, |way_out| format!("\n    {way_out}, then"));
    let id = &view.session.id;
    format!("{first}\n    orchestra session iterate {id}   tries again")
}

fn last_line(text: &str) -> String {
    let mut lines = text.lines().rev();
    let last = lines.find(|line| !line.trim().is_empty());
    visible_line(last.unwrap_or_default().trim())
}
