//! A desktop for tests: what it is told comes as lines of JSON on stdout, what its user does is read from stdin.
//!
//! `click <id>` clicks a notification, `tray` tells the entries of the tray icon's menu, `choose <entry>` clicks one of them.

mod tray;

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde::Serialize;
use zbus::blocking::Connection;
use zbus::blocking::connection::Builder;
use zbus::interface;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::OwnedValue;

use self::tray::{Tray, Watcher};

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
/// How long a program may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Why a notification is closed: its user did it.
const BY_USER: u32 = 2;

/// What is told.
#[derive(Debug, Serialize)]
#[serde(tag = "told", rename_all = "snake_case")]
enum Told<'a> {
    Ready,
    Notification {
        id: u32,
        app: &'a str,
        title: &'a str,
        body: &'a str,
        actions: &'a [&'a str],
    },
    Tray {
        entries: Vec<String>,
    },
    Chosen {
        entry: &'a str,
    },
    Failed {
        why: String,
    },
}

/// The program: it ends when nobody tells it anything any more.
#[must_use]
pub fn run() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&Told::Failed {
                why: error.to_string(),
            });
            ExitCode::FAILURE
        }
    }
}

fn serve() -> zbus::Result<()> {
    let tray = Tray::default();
    let connection = Builder::session()?
        .name(NAME)?
        .serve_at(PATH, Notifications::default())?
        .name(tray::WATCHER)?
        .serve_at(tray::WATCHER_PATH, Watcher::new(tray.clone()))?
        .method_timeout(PATIENCE)
        .build()?;
    tell(&Told::Ready);
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let done = match line.split_once(' ').unwrap_or((&line, "")) {
            ("click", id) => click(&connection, id),
            ("tray", _) => tray.entries(&connection).map(|entries| {
                tell(&Told::Tray { entries });
            }),
            ("choose", entry) => tray.choose(&connection, entry).map(|()| {
                tell(&Told::Chosen { entry });
            }),
            _ => Err(zbus::Error::Failure(format!("unknown: {line}"))),
        };
        if let Err(error) = done {
            tell(&Told::Failed {
                why: error.to_string(),
            });
        }
    }
    Ok(())
}

fn tell(told: &Told<'_>) {
    let mut out = io::stdout().lock();
    // Whoever does not listen any more has ended.
    serde_json::to_writer(&mut out, told).ok();
    writeln!(out).and_then(|()| out.flush()).ok();
}

fn click(connection: &Connection, id: &str) -> zbus::Result<()> {
    let id: u32 = id
        .parse()
        .map_err(|_| zbus::Error::Failure(format!("no number: {id}")))?;
    connection.emit_signal(None::<&str>, PATH, NAME, "ActionInvoked", &(id, "default"))?;
    connection.emit_signal(
        None::<&str>,
        PATH,
        NAME,
        "NotificationClosed",
        &(id, BY_USER),
    )
}

/// `org.freedesktop.Notifications`.
#[derive(Debug, Default)]
struct Notifications {
    last: AtomicU32,
}

#[interface(name = "org.freedesktop.Notifications")]
impl Notifications {
    fn get_capabilities(&self) -> Vec<&'static str> {
        vec!["body", "actions"]
    }

    fn get_server_information(&self) -> (&'static str, &'static str, &'static str, &'static str) {
        ("fake-desktop", "orchestra", "1", "1.2")
    }

    #[expect(
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        reason = "the bus hands over what came with the message"
    )]
    fn notify(
        &self,
        app_name: &str,
        replaces_id: u32,
        _app_icon: &str,
        summary: &str,
        body: &str,
        actions: Vec<&str>,
        _hints: HashMap<&str, OwnedValue>,
        _expire_timeout: i32,
    ) -> u32 {
        let id = match replaces_id {
            0 => self.last.fetch_add(1, Ordering::Relaxed) + 1,
            other => other,
        };
        tell(&Told::Notification {
            id,
            app: app_name,
            title: summary,
            body,
            actions: &actions,
        });
        id
    }

    fn close_notification(&self, _id: u32) {}

    #[zbus(signal)]
    async fn action_invoked(
        emitter: &SignalEmitter<'_>,
        id: u32,
        action_key: &str,
    ) -> zbus::Result<()>;

    #[zbus(signal)]
    async fn notification_closed(
        emitter: &SignalEmitter<'_>,
        id: u32,
        reason: u32,
    ) -> zbus::Result<()>;
}
