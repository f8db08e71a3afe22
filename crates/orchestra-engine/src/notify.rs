//! Desktop notifications: one per event, shown by whoever claims its row; silent where there is no desktop.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use orchestra_core::status::Outcome;
use orchestra_core::{
    IsolationRecord, Iteration, Operation, ScriptResult, ScriptRun, Session, visible_line,
};

use crate::Engine;

/// How long a desktop may take to answer.
const DESKTOP_PATIENCE: Duration = Duration::from_secs(5);
/// How long the desktop app may take to claim what it shows itself.
const APP_PATIENCE: Duration = Duration::from_secs(10);
const APP_PACE: Duration = Duration::from_millis(100);

/// What a notification says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The first line.
    pub title: String,
    /// The second one; may be empty.
    pub body: String,
}

impl Notice {
    /// What the user wants to hear about the end of an iteration.
    pub(crate) fn of_iteration(
        session: &Session,
        iteration: &Iteration,
        outcome: Outcome,
    ) -> Option<Self> {
        let what = match outcome {
            Outcome::AwaitingInput => "waits for your answer",
            Outcome::Failed(_) | Outcome::Interrupted => "failed",
            Outcome::Blocked(_) => "is blocked",
            Outcome::Succeeded if is_tripped(iteration) => {
                "finished, and something changed outside of its worktree"
            }
            Outcome::Succeeded if iteration.script_passed == Some(false) => {
                "finished, but its script failed"
            }
            Outcome::Succeeded if session.rebase.is_some() => "finished, but conflicts are left",
            Outcome::Succeeded => "finished",
            Outcome::Stopped | Outcome::Settled(_) if is_tripped(iteration) => {
                "was stopped, and something changed outside of its worktree"
            }
            Outcome::Stopped | Outcome::Settled(_) => return None,
        };
        let body = iteration
            .summary
            .as_deref()
            .or(iteration.message.as_deref())
            .unwrap_or_default();
        Some(Self {
            title: visible_line(&format!("{} {what}", session.name)),
            body: first_line(body),
        })
    }

    /// An agent waits until it is told whether it may use a tool.
    pub(crate) fn of_question(session: &Session, question: &str) -> Self {
        Self {
            title: visible_line(&format!("{} waits for your answer", session.name)),
            body: first_line(question),
        }
    }

    /// A rebase waits for the user.
    pub(crate) fn of_conflict(session: &Session, operation: &Operation) -> Self {
        Self {
            title: visible_line(&format!("{} stopped at a conflict", session.name)),
            body: first_line(&operation.summary),
        }
    }

    /// What the user wants to hear about the end of a run: a server should not end at all.
    pub(crate) fn of_run(session: &Session, run: &ScriptRun, result: ScriptResult) -> Option<Self> {
        let notice = Self::of_script(session, &run.script, result)?;
        Some(match (&run.server, result) {
            (Some(_), ScriptResult::Exited(0)) => Self {
                title: visible_line(&format!("{}: {} ended", session.name, run.script)),
                ..notice
            },
            _ => notice,
        })
    }

    /// What the user wants to hear about the end of a script.
    fn of_script(session: &Session, script: &str, result: ScriptResult) -> Option<Self> {
        let what = match result {
            ScriptResult::Exited(0) => "passed".to_owned(),
            ScriptResult::Exited(code) => format!("failed with exit code {code}"),
            ScriptResult::Signalled(signal) => format!("was ended by signal {signal}"),
            ScriptResult::TimedOut => "took too long".to_owned(),
            ScriptResult::OutputLimit => "printed too much".to_owned(),
            ScriptResult::Unrunnable => "could not be run".to_owned(),
            ScriptResult::Stopped | ScriptResult::Interrupted | ScriptResult::NotAllowed => {
                return None;
            }
        };
        Some(Self {
            title: visible_line(&format!("{}: {script} {what}", session.name)),
            body: String::new(),
        })
    }
}

impl Engine {
    /// Shows the notification of an event unless somebody else does or the user wants none.
    pub(crate) fn notify(&self, event: u64, notice: &Option<Notice>) {
        let Some(notice) = notice else { return };
        if !has_desktop(self) || !self.config().ui.notifications {
            return;
        }
        self.let_app_go_first(event);
        if self.claims_notification(event) {
            show_within(notice, DESKTOP_PATIENCE);
        }
    }

    /// The same for somebody who has more to do and can wait neither for a desktop nor for the app, which is trusted to show it.
    pub(crate) fn notify_beside(&self, event: u64, notice: &Notice) {
        if !self.is_app_open() && self.claims_notification(event) {
            let notice = notice.clone();
            thread::spawn(move || show(&notice));
        }
    }

    fn claims_notification(&self, event: u64) -> bool {
        if !has_desktop(self) {
            return false;
        }
        let claimed = self.claim_notification(event);
        claimed.unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot claim a notification");
            false
        })
    }

    /// Waits until the desktop app has claimed the event, if it is open. One that is busy is not waited for longer.
    fn let_app_go_first(&self, event: u64) {
        let deadline = Instant::now() + APP_PATIENCE;
        while self.is_app_open() && Instant::now() < deadline {
            let found = self.find_notification(event).ok().flatten();
            if found.is_none_or(|it| it.is_claimed) {
                return;
            }
            thread::sleep(APP_PACE);
        }
    }
}

/// Without a session bus a notification could only hang or fail.
fn has_desktop(engine: &Engine) -> bool {
    if cfg!(any(target_os = "macos", windows)) {
        return true;
    }
    ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| engine.environment.find(name).is_some())
}

/// A desktop that takes the message and never answers keeps nobody: the thread that waits for it ends with the process.
fn show_within(notice: &Notice, longest: Duration) {
    let (done, shown) = mpsc::channel();
    let notice = notice.clone();
    thread::spawn(move || {
        show(&notice);
        // Nobody listens any more once the time is over.
        done.send(()).ok();
    });
    if shown.recv_timeout(longest).is_err() {
        tracing::info!("the desktop did not answer a notification in time");
    }
}

fn show(notice: &Notice) {
    let shown = notify_rust::Notification::new()
        .appname("Amp Orchestra")
        .summary(&notice.title)
        .body(&notice.body)
        .show();
    if let Err(error) = shown {
        tracing::info!(%error, "no notification could be shown");
    }
}

fn is_tripped(iteration: &Iteration) -> bool {
    let record = iteration.isolation.as_ref();
    record.is_some_and(IsolationRecord::is_tripped)
}

fn first_line(text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty());
    visible_line(first.unwrap_or_default().trim())
        .chars()
        .take(200)
        .collect()
}

#[cfg(test)]
mod tests {
    use orchestra_core::{FailureCause, IterationNumber, Progress, Timestamp};

    use super::*;
    use crate::fixture::session_named;

    fn iteration(outcome: Outcome, script_passed: Option<bool>) -> Iteration {
        Iteration {
            key: 1,
            session: session_named("login").id,
            number: IterationNumber(1),
            input: None,
            commit: true,
            progress: Progress::Finished(outcome),
            message: Some("it \u{1b}[2Jcrashed\nbadly".to_owned()),
            summary: None,
            queued_at: Timestamp::UNIX_EPOCH,
            started_at: None,
            finished_at: None,
            head_before: None,
            head_after: None,
            thread: None,
            model: None,
            usage: None,
            cost: None,
            commits: Vec::new(),
            files_changed: None,
            script_passed,
            runner: None,
            off_branch: None,
            isolation: None,
        }
    }

    #[test]
    fn an_iteration_is_announced_by_how_it_ended() {
        let title = |outcome, script| {
            Notice::of_iteration(
                &session_named("login"),
                &iteration(outcome, script),
                outcome,
            )
            .map(|notice| notice.title)
        };
        let cases = [
            (
                Outcome::AwaitingInput,
                None,
                Some("login waits for your answer"),
            ),
            (
                Outcome::Failed(FailureCause::Crashed),
                None,
                Some("login failed"),
            ),
            (
                Outcome::Succeeded,
                Some(false),
                Some("login finished, but its script failed"),
            ),
            (Outcome::Succeeded, Some(true), Some("login finished")),
            (Outcome::Stopped, None, None),
        ];
        for (outcome, script, expected) in cases {
            assert_eq!(title(outcome, script).as_deref(), expected);
        }
        let failed = Outcome::Failed(FailureCause::Crashed);
        let notice =
            Notice::of_iteration(&session_named("login"), &iteration(failed, None), failed)
                .unwrap();
        assert_eq!(notice.body, "it \u{fffd}[2Jcrashed");
    }

    #[test]
    fn a_script_is_announced_unless_the_user_ended_it() {
        let title = |result| {
            Notice::of_script(&session_named("login"), "test", result).map(|notice| notice.title)
        };
        assert_eq!(
            title(ScriptResult::Exited(0)).as_deref(),
            Some("login: test passed")
        );
        assert_eq!(
            title(ScriptResult::Exited(3)).as_deref(),
            Some("login: test failed with exit code 3")
        );
        assert_eq!(
            title(ScriptResult::TimedOut).as_deref(),
            Some("login: test took too long")
        );
        assert_eq!(title(ScriptResult::Stopped), None);
    }
}
