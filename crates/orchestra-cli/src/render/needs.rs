//! What a session needs from the user, with the command that gives it.

use orchestra_core::{
    FailureCause, Iteration, PermissionQuestion, Progress, SessionId, SessionStatus, SetupState,
    Timestamp, visible_line,
};
use orchestra_engine::{Loss, SessionView};

use super::screen;
use super::summary::{self, way_back, way_out};
use crate::printer::BOLD;

/// What it needs, in a line or two. What git said before `begun` may not hold any more.
pub(crate) fn what_it_needs(view: &SessionView, begun: Timestamp) -> String {
    let id = &view.session.id;
    let name = visible_line(view.session.name.as_str());
    if let Some(loss) = view.loss() {
        return format!("{BOLD}{id}{BOLD:#} {name} {}", lost(view, loss));
    }
    let what = match view.status {
        SessionStatus::AwaitingInput => question(view),
        SessionStatus::Interrupted => interruption(view, begun),
        SessionStatus::Error => off_branch(view).unwrap_or_else(|| failure(view)),
        SessionStatus::Blocked => blockage(view),
        SessionStatus::Conflicted => {
            format!("stopped at a conflict\n    orchestra session conflicts {id}   shows it")
        }
        SessionStatus::Idle if view.lacks_setup() => missing_setup(view),
        SessionStatus::Idle => off_branch(view).unwrap_or_else(|| failed_script(view)),
        SessionStatus::Initializing
        | SessionStatus::Queued
        | SessionStatus::Running
        | SessionStatus::Evaluating
        | SessionStatus::Completed
        | SessionStatus::Unknown => format!("is {}", view.status),
    };
    format!("{BOLD}{id}{BOLD:#} {name} {what}")
}

/// What an agent wants to do, and how it is decided.
pub(crate) fn wishes(id: &SessionId, questions: &[PermissionQuestion]) -> String {
    let command = format!("orchestra session answer {id} --allow | --reject");
    let wish = |question: &PermissionQuestion| visible_line(&question.in_words());
    match questions {
        [only] => format!(
            "wants to {} (question {})\n    {command}",
            wish(only),
            only.number
        ),
        several => {
            let lines = several
                .iter()
                .map(|question| format!("\n    {}. {}", question.number, wish(question)));
            let lines: String = lines.collect();
            format!("wants to{lines}\n    {command}   decides all; --question <number> one of them")
        }
    }
}

fn question(view: &SessionView) -> String {
    if !view.questions.is_empty() {
        return wishes(&view.session.id, &view.questions);
    }
    let iteration = view.iteration.as_ref();
    let question = iteration.and_then(|iteration| iteration.summary.as_deref());
    format!(
        "asks: {}\n    orchestra session answer {} \"...\"",
        last_line(question.unwrap_or("a question")),
        view.session.id
    )
}

fn interruption(view: &SessionView, begun: Timestamp) -> String {
    let id = &view.session.id;
    if !view.session.worktree_ready {
        let doctor = "orchestra doctor --fix   finishes it or takes it back";
        return format!("is half-made: what made it died\n    {doctor}");
    }
    if is_clean(view, begun) {
        return format!(
            "was interrupted; nothing is uncommitted\n    orchestra session resume {id} | discard {id}"
        );
    }
    format!(
        "was interrupted\n    orchestra session resume {id} | commit {id} -m \"...\" | discard {id}"
    )
}

/// Work that is not on the session's branch, whatever else is wrong.
fn off_branch(view: &SessionView) -> Option<String> {
    let iteration = view.iteration.as_ref()?;
    let command = way_back(&view.session, iteration)?;
    let message = message(view).unwrap_or("left its branch");
    Some(format!(
        "left its branch: {}\n    {command}",
        last_line(message)
    ))
}

fn failure(view: &SessionView) -> String {
    let has_failed = |iteration: &&Iteration| {
        let progress = iteration.progress;
        matches!(progress, Progress::Finished(outcome) if outcome.cause().is_some())
    };
    let failed = view.iteration.as_ref().filter(has_failed);
    let message = failed.and_then(|iteration| iteration.message.as_deref());
    let message = message.unwrap_or("its directory is missing");
    format!("failed: {}{}", last_line(message), try_again(view))
}

fn lost(view: &SessionView, loss: Loss) -> String {
    let id = &view.session.id;
    let doctor = "orchestra doctor   shows what can be done";
    let forget = format!("orchestra session forget {id}   forgets it");
    match loss {
        Loss::Repository => format!(
            "has lost its repository {}\n    {doctor} if it was moved\n    {forget}",
            screen::path(&view.repository.root)
        ),
        Loss::Branch => format!("has lost its directory and its branch\n    {forget}"),
        Loss::Directory => format!(
            "has lost its directory; its branch has every commit\n    {doctor}\n    \
             orchestra session set {id} worktree <directory>   if you moved it"
        ),
        Loss::Link => {
            format!("has lost git's link in its directory; the files are there\n    {doctor}")
        }
    }
}

fn blockage(view: &SessionView) -> String {
    let message = message(view).unwrap_or("something outside makes it wait");
    format!("is blocked: {}{}", last_line(message), try_again(view))
}

fn missing_setup(view: &SessionView) -> String {
    let (id, how) = (&view.session.id, view.setup.in_words());
    let what = match view.setup {
        SetupState::NotAllowed => "shows its commands and asks",
        _ => "runs it again",
    };
    let why = view
        .setup_run
        .as_ref()
        .map_or_else(String::new, summary::why);
    format!("its set-up {how}{why}\n    orchestra session setup {id} --follow   {what}")
}

fn failed_script(view: &SessionView) -> String {
    let id = &view.session.id;
    format!("its script failed\n    orchestra session iterate {id}   tells the agent")
}

fn message(view: &SessionView) -> Option<&str> {
    view.iteration.as_ref()?.message.as_deref()
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
        Some(
            Progress::Queued
            | Progress::Agent
            | Progress::Parked(_)
            | Progress::Commit
            | Progress::Script,
        )
        | None => None,
    };
    let way_out = cause.and_then(|cause| way_out(&view.session, cause));
    if cause == Some(FailureCause::ThreadUnavailable) {
        // The same again would be refused again.
        return way_out.map_or_else(String::new, |way_out| format!("\n    {way_out}"));
    }
    let first = way_out.map_or_else(String::new, |way_out| format!("\n    {way_out}, then"));
    let id = &view.session.id;
    // Where the agent did its part and we could not do ours, the work is there.
    let may_be_dirty = view.git.as_ref().is_none_or(|git| git.dirty != Some(false));
    let commit = match cause {
        Some(FailureCause::Engine) if may_be_dirty => {
            format!("\n    orchestra session commit {id} -m \"...\"   commits what is there")
        }
        _ => String::new(),
    };
    format!("{first}\n    orchestra session iterate {id}   tries again{commit}")
}

fn last_line(text: &str) -> String {
    let mut lines = text.lines().rev();
    let last = lines.find(|line| !line.trim().is_empty());
    visible_line(last.unwrap_or_default().trim())
}
