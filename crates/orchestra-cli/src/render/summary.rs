//! One-line summaries: an iteration, a script run, a branch.

use orchestra_core::status::Outcome;
use orchestra_core::{
    Cost, CostSource, DiskFacts, FailureCause, Iteration, Operation, PortLease, Progress,
    SESSION_SCRIPT, SETUP_SCRIPT, ScriptResult, ScriptRun, ServerState, Session, visible,
    visible_line,
};
use orchestra_engine::{SessionView, size_in_words};
use orchestra_server::time;

use super::needs;
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
    if let Some(end) = script_end(context, iteration) {
        context.printer.note(format!("  the script {end}"));
    }
    if let Some(message) = &iteration.message {
        context.printer.note(format!("  {}", visible(message)));
    }
    if let Some(next) = next_step(context, iteration) {
        context.printer.note(format!("  {next}"));
    }
}

/// What ended the script of an iteration, if it did not end by itself.
fn script_end(context: &Context, iteration: &Iteration) -> Option<String> {
    iteration.script_passed.filter(|passed| !passed)?;
    let runs = context.engine.script_runs(&iteration.session).ok()?;
    let run = runs
        .iter()
        .rfind(|run| run.iteration == Some(iteration.number))?;
    ended_by(run)
}

/// The signal or the limit that ended a script run, to follow its name.
pub(crate) fn ended_by(run: &ScriptRun) -> Option<String> {
    match run.finished?.result {
        ScriptResult::Signalled(signal) => Some(format!("was ended by signal {signal}")),
        ScriptResult::TimedOut => Some(format!("timed out{}", why(run))),
        ScriptResult::OutputLimit => Some(format!("printed too much{}", why(run))),
        ScriptResult::Exited(_)
        | ScriptResult::Stopped
        | ScriptResult::Interrupted
        | ScriptResult::NotAllowed
        | ScriptResult::Unrunnable => None,
    }
}

/// What the user does next, where the outcome asks for something.
fn next_step(context: &Context, iteration: &Iteration) -> Option<String> {
    let view = context.engine.session(&iteration.session).ok()?;
    if !view.questions.is_empty() {
        let wishes = needs::wishes(&view.session.id, &view.questions);
        return Some(format!("it {wishes}"));
    }
    let Progress::Finished(outcome) = iteration.progress else {
        return None;
    };
    if outcome == Outcome::AwaitingInput {
        let id = &iteration.session;
        return Some(format!(
            "answer with: orchestra session answer {id} \"...\""
        ));
    }
    let session = view.session;
    if iteration.off_branch.is_some() {
        return way_back(&session, iteration).map(|command| format!("go back with: {command}"));
    }
    if session.rebase.is_some() {
        let id = &session.id;
        return Some(format!(
            "look at what is left: orchestra session conflicts {id}"
        ));
    }
    way_out(&session, outcome.cause()?)
}

/// What helps against the cause, with the command where it is the session's own doing.
pub(super) fn way_out(session: &Session, cause: FailureCause) -> Option<String> {
    let (id, agent) = (&session.id, &session.agent);
    Some(match cause {
        FailureCause::TimedOut if session.timeout.is_some() => {
            format!("give it longer: orchestra session set {id} timeout <time>")
        }
        FailureCause::ThreadUnavailable => format!(
            "begin a new conversation, which is told what happened before: \
             orchestra session iterate {id} --new-thread"
        ),
        FailureCause::NotLoggedIn | FailureCause::Unauthorized => {
            format!("log it in: orchestra agents show {agent}   says how")
        }
        cause => cause.way_out()?.to_owned(),
    })
}

/// The commands that bring the session's branch back, with the commits that were made elsewhere.
pub(super) fn way_back(session: &Session, iteration: &Iteration) -> Option<String> {
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

/// Small sums with the digits that tell them apart; an estimate says that it is one.
pub(crate) fn money(cost: Cost) -> String {
    const WHOLE: u64 = 1_000_000;
    let (dollars, micros) = (cost.micro_usd / WHOLE, cost.micro_usd % WHOLE);
    let sum = match dollars {
        0 => format!("$0.{:04}", micros / 100),
        dollars => format!("${dollars}.{:02}", micros / 10_000),
    };
    match cost.source {
        CostSource::Reported => sum,
        CostSource::Estimated => format!("about {sum}"),
    }
}

/// Number, outcome, commits, files, script, tokens, cost, duration.
pub(crate) fn iteration_line(iteration: &Iteration) -> String {
    let wire = orchestra_api::Iteration::from(iteration);
    let outcome = match iteration.progress {
        Progress::Finished(Outcome::Succeeded) => format!("{GREEN}succeeded{GREEN:#}"),
        Progress::Finished(Outcome::AwaitingInput) => {
            format!("{YELLOW}waits for an answer{YELLOW:#}")
        }
        Progress::Finished(outcome @ Outcome::Stopped) => {
            format!("{YELLOW}{}{YELLOW:#}", outcome.name())
        }
        Progress::Finished(outcome @ Outcome::Settled(settlement)) => {
            let (outcome, decided) = (outcome.name(), settlement.name());
            format!("{YELLOW}{outcome}, {decided}{YELLOW:#}")
        }
        Progress::Finished(outcome) => format!("{RED}{}{RED:#}", outcome.name()),
        Progress::Parked(parked) => {
            format!("{YELLOW}{}{}{YELLOW:#}", wire.state, time::parked(parked))
        }
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
    let record = iteration.isolation.as_ref();
    if let Some(record) = record.filter(|record| record.is_tripped()) {
        let count = record.count();
        parts.push(format!(
            "{RED}{count} change(s) outside of its worktree{RED:#}"
        ));
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
    if let Some(cost) = iteration.cost {
        parts.push(format!("{DIM}{}{DIM:#}", money(cost)));
    }
    if let Some(duration) = wire.duration_ms {
        parts.push(format!("{DIM}{}{DIM:#}", time::span(duration)));
    }
    parts.join(", ")
}

/// What a script run is called: the session's own has no name of its own.
pub(crate) fn script_name(run: &ScriptRun) -> String {
    match run.script.as_str() {
        SESSION_SCRIPT => "script".to_owned(),
        SETUP_SCRIPT => "set-up".to_owned(),
        name if run.server.is_some() => format!("server {name}"),
        name => format!("script {name}"),
    }
}

/// Why a run could not be run or was ended, to follow how it ended.
pub(crate) fn why(run: &ScriptRun) -> String {
    let problem = run.problem.as_deref();
    problem.map_or_else(String::new, |problem| {
        format!(": {}", visible_line(&problem.message))
    })
}

/// The space a worktree takes, with its age if it was not counted now.
pub(crate) fn disk_line(disk: &DiskFacts) -> String {
    let space = space(disk.own_bytes, disk.shared_bytes, disk.is_sharing_known);
    format!("{space}{}", time::age_note(disk.checked_at))
}

/// What something takes for itself and what it shares. The first is a limit where nobody tells what is shared.
pub(crate) fn space(own: u64, shared: u64, is_sharing_known: bool) -> String {
    let limit = if is_sharing_known { "" } else { "at most " };
    let shared = match shared {
        0 => String::new(),
        bytes => format!(", {} shared with others", size_in_words(bytes)),
    };
    format!("{limit}{}{shared}", size_in_words(own))
}

/// How a server stands, where it is reached if it can be, and since when.
pub(crate) fn server_line(run: &ScriptRun) -> String {
    let (Some(state), Some(facts)) = (ServerState::of(run), &run.server) else {
        return String::new();
    };
    let name = visible_line(&run.script);
    let words = state.in_words();
    if !state.is_running() {
        let when = run.finished.map_or(run.started_at, |end| end.at);
        let how = match run.finished.map(|end| end.result) {
            Some(ScriptResult::Exited(code)) if code != 0 => format!(" with exit code {code}"),
            Some(ScriptResult::Signalled(signal)) => {
                format!(": signal {signal} ended it or its guardian")
            }
            _ => why(run),
        };
        return format!("{name} {words}{how}, {}", time::ago(when));
    }
    let url = facts.url.as_deref().filter(|_| state == ServerState::Ready);
    let url = url.map(visible_line);
    let url = url.map_or_else(String::new, |url| format!(" at {url}"));
    let port = match (&url[..], facts.local_url(), facts.port) {
        ("", _, Some(port)) => format!(", port {port}"),
        (_, Some(local), _) => format!(" or {local}"),
        _ => String::new(),
    };
    let since = time::ago(run.started_at);
    format!("{name} {words}{url}{port}, started {since}")
}

/// The ports of a block: one number, or the first and the last.
pub(crate) fn ports(lease: &PortLease) -> String {
    match lease.ports().last() {
        Some(last) if last != lease.first => format!("{}-{last}", lease.first),
        _ => lease.first.to_string(),
    }
}

/// Where the worktree is, or what became of it.
pub(crate) fn worktree_line(session: &Session) -> String {
    let (id, path) = (&session.id, session.worktree.display());
    match (&session.trash, session.worktree_deleted_at) {
        (None, _) if session.worktree_ready && !session.worktree.exists() => {
            format!("{path}, which is gone")
        }
        (None, _) => path.to_string(),
        (Some(_), None) => format!("in the trash (`orchestra trash restore {id}`), was {path}"),
        (Some(_), Some(at)) => format!("deleted {}, was {path}", time::ago(at)),
    }
}

/// Where its work landed, and whether it is still there.
pub(crate) fn landed_line(view: &SessionView) -> Option<String> {
    let landed = view.session.landed.as_ref()?;
    let (into, commit, when) = (&landed.into, landed.commit.short(), time::ago(landed.at));
    Some(match view.lost_landing() {
        None => format!("in {into} with {commit}, {when}"),
        Some(_) => format!(
            "{into} does not have it any more (it landed with {commit}, {when}); \
             `orchestra session merge {}` lands it again",
            view.session.id
        ),
    })
}

/// Who asked for an operation, if not the user.
pub(crate) fn caller(operation: &Operation) -> String {
    let caller = operation.caller.as_ref();
    caller.map_or_else(String::new, |caller| format!(" (by {caller})"))
}

/// The checks and doubts that somebody passed over, behind what was done.
pub(crate) fn passed_over(operation: &Operation) -> String {
    let names = operation.overridden.iter().map(ToString::to_string);
    match names.collect::<Vec<_>>().join(", ") {
        names if names.is_empty() => names,
        names => format!(" (passed over: {names})"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_says_that_it_is_one() {
        let money = |micro_usd, source| money(Cost { micro_usd, source });
        assert_eq!(money(12_345_678, CostSource::Reported), "$12.34");
        assert_eq!(money(4_200, CostSource::Estimated), "about $0.0042");
    }
}
