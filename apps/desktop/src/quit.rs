//! Closing and quitting: agents go on, and the user is told so once.

use std::fs;
use std::path::PathBuf;

use tauri::{AppHandle, Manager, WindowEvent};

use crate::engine::Engine;
use crate::glance::Glance;
use crate::{notices, tray, window};

const FOLDER: &str = "desktop";

/// What was told once, by an empty file each.
pub(crate) struct Told {
    folder: PathBuf,
}

impl Told {
    pub(crate) fn of(data: &std::path::Path) -> Self {
        Self {
            folder: data.join(FOLDER),
        }
    }

    /// Whether it is told now for the first time.
    fn is_new(&self, what: &str) -> bool {
        let made = fs::create_dir_all(&self.folder);
        let file = self.folder.join(format!("told-{what}"));
        made.is_ok() && fs::File::create_new(file).is_ok()
    }
}

/// A window that is closed goes away; the app stays in the tray if there is one, or ends.
pub(crate) fn window_event(app: &AppHandle, event: &WindowEvent) {
    let WindowEvent::CloseRequested { api, .. } = event else {
        return;
    };
    // The app ends when everything is told, or not at all.
    api.prevent_close();
    if !tray::is_there(app) {
        quit(app);
        return;
    }
    if let Some(window) = app.get_webview_window(window::LABEL)
        && let Err(error) = window.hide()
    {
        tracing::warn!(%error, "the window cannot be hidden");
    }
    if app.state::<Told>().is_new("closed") {
        let app = app.clone();
        notices::tell(
            "Amp Orchestra goes on in the tray",
            "It tells when an agent needs you. Quit it from its tray icon; agents go on then, too.",
            move || window::show(&app, None),
        );
    }
}

/// Ends the app, and nothing else.
pub(crate) fn quit(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let engine = app.state::<Engine>().inner().clone();
        let working = Glance::now(&engine).await.map_or(0, |it| it.working.total);
        if working > 0 && app.state::<Told>().is_new("quit") {
            let what = match working {
                1 => "1 session goes on".to_owned(),
                more => format!("{more} sessions go on"),
            };
            notices::tell_at_the_end(
                &format!("{what} without the app"),
                "Quitting stops no agent. Open the app again to see what they did.",
            );
        }
        app.exit(0);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_told_once() {
        let data = tempfile::tempdir().unwrap();
        let told = Told::of(data.path());
        assert!(told.is_new("quit"));
        assert!(told.is_new("closed"));
        assert!(!told.is_new("quit"));
        assert!(!Told::of(data.path()).is_new("quit"));
    }
}
