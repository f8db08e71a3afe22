//! Updates, in builds that know where to ask for them and whose signature to trust. Agents that run keep their program.

use tauri::AppHandle;
use tauri_plugin_dialog::{DialogExt, MessageDialogButtons, MessageDialogKind};
use tauri_plugin_updater::{Update, UpdaterExt};

/// The part of the settings of a build that says where to ask.
const SETTING: &str = "updater";

/// Whether this build can be updated by itself; packages of a system are updated by the system.
pub(crate) fn is_possible(app: &AppHandle) -> bool {
    is_set(app.config())
}

pub(crate) fn is_set(config: &tauri::Config) -> bool {
    config.plugins.0.contains_key(SETTING)
}

/// Asks for a newer version, and the user before anything is changed.
pub(crate) fn check(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let found = match app.updater() {
            Ok(updater) => updater.check().await,
            Err(error) => Err(error),
        };
        match found {
            Ok(Some(update)) => offer(app, update),
            Ok(None) => say(&app, MessageDialogKind::Info, "This is the newest version."),
            Err(error) => say(
                &app,
                MessageDialogKind::Warning,
                &format!("It cannot be told whether there is a newer version: {error}"),
            ),
        }
    });
}

fn offer(app: AppHandle, update: Update) {
    let question = format!(
        "Version {} is there; this is {}. The app starts again, agents go on.",
        update.version, update.current_version
    );
    let buttons = MessageDialogButtons::OkCancelCustom("Update".to_owned(), "Later".to_owned());
    let asked = app
        .dialog()
        .message(question)
        .title("Update")
        .buttons(buttons);
    asked.show(move |is_wanted| {
        if is_wanted {
            tauri::async_runtime::spawn(install(app, update));
        }
    });
}

async fn install(app: AppHandle, update: Update) {
    match update.download_and_install(|_, _| {}, || {}).await {
        Ok(()) => app.restart(),
        Err(error) => say(
            &app,
            MessageDialogKind::Error,
            &format!("The update is not installed: {error}"),
        ),
    }
}

fn say(app: &AppHandle, kind: MessageDialogKind, text: &str) {
    app.dialog()
        .message(text)
        .kind(kind)
        .title("Update")
        .show(|_| {});
}
