//! What the tray and the title tell at a glance: how many agents work, and how many wait for the user. It follows the log.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use serde::Deserialize;
use tauri::{AppHandle, Manager};
use tokio::sync::Notify;

use crate::engine::Engine;
use crate::notices::Notices;
use crate::{tray, window};

/// Events that can change what is told or deserve a notification.
const TYPES: &str = "session_created,session_status_changed,session_changed,session_archived,session_forgotten,\
                     iteration_queued,iteration_started,iteration_parked,iteration_resumed,iteration_finished,\
                     input_requested,permission_requested,permission_decided,permission_withdrawn,script_finished,\
                     operation_finished,recovered";
const ACTIVE: &str = "initializing,queued,running,evaluating";
/// So many sessions are named.
const NAMED: usize = 5;
/// Events that come close together are looked at together.
const GATHER: Duration = Duration::from_millis(250);
/// How long to wait when the engine does not tell.
const PAUSE: Duration = Duration::from_secs(1);

/// Tells that something is to be looked at again.
#[derive(Clone, Default)]
pub(crate) struct News(Arc<Notify>);

impl News {
    pub(crate) fn tell(&self) {
        self.0.notify_one();
    }
}

/// How things stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Glance {
    pub(crate) working: Named,
    pub(crate) waiting: Named,
}

/// Sessions of one kind: how many, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Named {
    pub(crate) total: usize,
    pub(crate) sessions: Vec<Brief>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Brief {
    pub(crate) id: String,
    pub(crate) name: String,
}

impl fmt::Display for Glance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.working.total, self.waiting.total) {
            (0, 0) => formatter.write_str("Nothing is running"),
            (working, 0) => write!(formatter, "{working} running"),
            (0, waiting) => write!(formatter, "{waiting} {} you", needs(waiting)),
            (working, waiting) => {
                write!(
                    formatter,
                    "{working} running, {waiting} {} you",
                    needs(waiting)
                )
            }
        }
    }
}

const fn needs(count: usize) -> &'static str {
    match count {
        1 => "needs",
        _ => "need",
    }
}

impl Glance {
    /// How things stand now; `None` if the engine cannot tell.
    pub(crate) async fn now(engine: &Engine) -> Option<Self> {
        let working = format!("/sessions?status={ACTIVE}&limit={NAMED}");
        let waiting = format!("/sessions?needs_me=true&limit={NAMED}");
        Some(Self {
            working: engine.look(&working).await?,
            waiting: engine.look(&waiting).await?,
        })
    }

    /// The window's title: what waits for the user comes first.
    fn title(&self) -> String {
        match self.waiting.total {
            0 => window::TITLE.to_owned(),
            waiting => format!("({waiting}) {}", window::TITLE),
        }
    }

    fn show(&self, app: &AppHandle) {
        tray::show(app, self);
        let Some(window) = app.get_webview_window(window::LABEL) else {
            return;
        };
        let count = i64::try_from(self.waiting.total).ok().filter(|it| *it > 0);
        // Not every desktop has badges; the title is there everywhere.
        window.set_badge_count(count).ok();
        if let Err(error) = window.set_title(&self.title()) {
            tracing::warn!(%error, "the title cannot be set");
        }
    }
}

/// Shows how things stand, and notifications, for as long as the app is open.
pub(crate) async fn follow(app: AppHandle, engine: Engine) {
    let news = app.state::<News>().inner().clone();
    let mut notices = Notices::from_now(&engine).await;
    tauri::async_runtime::spawn(listen(engine.clone(), news.clone()));
    let mut shown = None;
    loop {
        let now = Glance::now(&engine).await;
        // A window that was made since has not been told.
        let window = app.get_webview_window(window::LABEL).is_some();
        if let Some(now) = now.filter(|now| shown.as_ref() != Some(&(now.clone(), window))) {
            now.show(&app);
            shown = Some((now, window));
        }
        notices.show_new(&app, &engine).await;
        news.0.notified().await;
        tokio::time::sleep(GATHER).await;
    }
}

/// Tells of every event that counts. A stream that ends is followed anew, and whoever listens looks again.
async fn listen(engine: Engine, news: News) {
    loop {
        let request = Request::get(format!("/api/v1/events?types={TYPES}"));
        let Ok(request) = request.body(Body::empty()) else {
            return;
        };
        let mut body = engine.answer(request).await.into_body();
        while let Some(Ok(frame)) = body.frame().await {
            // A comment only keeps the stream alive.
            if frame.data_ref().is_some_and(|data| !data.starts_with(b":")) {
                news.tell();
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glance(working: usize, waiting: usize) -> Glance {
        let named = |total| Named {
            total,
            sessions: Vec::new(),
        };
        Glance {
            working: named(working),
            waiting: named(waiting),
        }
    }

    #[test]
    fn what_waits_for_the_user_is_told_everywhere() {
        assert_eq!(glance(0, 0).to_string(), "Nothing is running");
        assert_eq!(glance(2, 0).to_string(), "2 running");
        assert_eq!(glance(0, 1).to_string(), "1 needs you");
        assert_eq!(glance(1, 3).to_string(), "1 running, 3 need you");
        assert_eq!(glance(2, 0).title(), "Amp Orchestra");
        assert_eq!(glance(0, 2).title(), "(2) Amp Orchestra");
    }
}
