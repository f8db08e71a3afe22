//! Native notifications: one per event, claimed first so that no other face shows it too, and a click leads to the session.

use std::time::Duration;

use notify_rust::{Notification, NotificationResponse};
use serde::Deserialize;
use tauri::AppHandle;

use crate::engine::Engine;
use crate::window;

/// How long the page may take to tell it itself while somebody looks at it.
const PAGE_PATIENCE: Duration = Duration::from_secs(4);
/// How long to wait when the engine does not tell.
const PAUSE: Duration = Duration::from_secs(1);
const NAME: &str = "Amp Orchestra";

/// Where in the log the app is.
pub(crate) struct Notices {
    after: u64,
}

#[derive(Deserialize)]
struct Log {
    seq: u64,
}

#[derive(Deserialize)]
struct Page {
    next: u64,
    is_wanted: bool,
    notifications: Vec<Notice>,
}

#[derive(Deserialize)]
struct Notice {
    event: u64,
    session_id: String,
    title: String,
    body: String,
    is_claimed: bool,
}

#[derive(Deserialize)]
struct Claim {
    claimed: bool,
}

impl Notices {
    /// What happened before the app was opened is in its list, and told no more.
    pub(crate) async fn from_now(engine: &Engine) -> Self {
        loop {
            if let Some(log) = engine.look::<Log>("/log?limit=1").await {
                return Self { after: log.seq };
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Shows what came since.
    pub(crate) async fn show_new(&mut self, app: &AppHandle, engine: &Engine) {
        loop {
            let address = format!("/notifications?after={}", self.after);
            let Some(page) = engine.look::<Page>(&address).await else {
                return;
            };
            let new = page.notifications.into_iter().filter(|it| !it.is_claimed);
            for notice in new.filter(|_| page.is_wanted) {
                tauri::async_runtime::spawn(show(app.clone(), engine.clone(), notice));
            }
            if page.next <= self.after {
                return;
            }
            self.after = page.next;
        }
    }
}

/// The page tells whoever looks at it; otherwise the desktop does.
async fn show(app: AppHandle, engine: Engine, notice: Notice) {
    if window::is_looked_at(&app) {
        tokio::time::sleep(PAGE_PATIENCE).await;
    }
    let address = format!("/notifications/{}/claim", notice.event);
    let claim: Option<Claim> = engine.act(&address).await;
    if claim.is_some_and(|it| it.claimed) {
        let page = format!("/sessions/{}", notice.session_id);
        tell(&notice.title, &notice.body, move || {
            window::show(&app, Some(page));
        });
    }
}

/// Shows a notification; `clicked` is called if the user clicks it.
pub(crate) fn tell(title: &str, body: &str, clicked: impl FnOnce() + Send + 'static) {
    let mut notification = Notification::new();
    notification
        .appname(NAME)
        .summary(title)
        .body(body)
        .icon("orchestra-desktop")
        .action("default", "Open");
    // It stays until the user has seen it, which may take a while.
    std::thread::spawn(move || match notification.show() {
        Ok(shown) => {
            let answered = shown.wait_for_response(|response: &NotificationResponse| {
                let is_click = match response {
                    NotificationResponse::Default => true,
                    NotificationResponse::Action(action) => action == "default",
                    _ => false,
                };
                if is_click {
                    clicked();
                }
            });
            if let Err(error) = answered {
                tracing::info!(%error, "nobody can say whether a notification was clicked");
            }
        }
        Err(error) => tracing::info!(%error, "no notification could be shown"),
    });
}

/// Shows a notification that leads nowhere, and waits until the desktop has it: the app ends then.
pub(crate) fn tell_at_the_end(title: &str, body: &str) {
    let shown = Notification::new()
        .appname(NAME)
        .summary(title)
        .body(body)
        .icon("orchestra-desktop")
        .show();
    if let Err(error) = shown {
        tracing::info!(%error, "no notification could be shown");
    }
}
