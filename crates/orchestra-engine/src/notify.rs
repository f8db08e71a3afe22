//! Desktop notifications: one per event, shown by whoever claims its row; silent where there is no desktop.

use orchestra_core::status::Outcome;
use orchestra_core::{Iteration, ScriptResult, Session};

use crate::Engine;

/// What a notification says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) title: String,
    pub(crate) body: String,
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
            Outcome::Succeeded if iteration.script_passed == Some(false) => {
                "finished, but its script failed"
            }
            Outcome::Succeeded => "finished",
            Outcome::Stopped => return None,
        };
        let body = iteration
            .summary
            .as_deref()
            .or(iteration.message.as_deref())
            .unwrap_or_default();
        Some(Self {
            title: format!("{} {what}", session.name),
            body: first_line(body),
        })
    }

    /// What the user wants to hear about the end of a script.
    pub(crate) fn of_script(session: &Session, script: &str, result: ScriptResult) -> Option<Self> {
        let what = match result {
            ScriptResult::Exited(0) => "passed".to_owned(),
            ScriptResult::Exited(code) => format!("failed with exit code {code}"),
            ScriptResult::Signalled(signal) => format!("was ended by signal {signal}"),
            ScriptResult::TimedOut => "took too long".to_owned(),
            ScriptResult::Stopped | ScriptResult::Interrupted => return None,
        };
        Some(Self {
            title: format!("{}: {script} {what}", session.name),
            body: String::new(),
        })
    }
}

impl Engine {
    /// Shows the notification of an event unless somebody else does or the user wants none.
    pub(crate) fn notify(&self, event: u64, notice: &Option<Notice>) {
        let Some(notice) = notice else { return };
        if !self.config().ui.notifications || !has_desktop(self) {
            return;
        }
        match self.write_stream(|tx| Ok(tx.claim_notification(event)?)) {
            Ok(true) => show(notice),
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "cannot claim a notification"),
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

fn first_line(text: &str) -> String {
    text.lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .trim()
        .chars()
        .take(200)
        .collect()
}
