//! The icon in the tray: how many agents work, what needs the user, and the way back to the window.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tauri::menu::{CheckMenuItemBuilder, Menu, MenuBuilder, MenuItemBuilder};
use tauri::tray::{MouseButton, MouseButtonState, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Wry};
use tauri_plugin_autostart::ManagerExt;

use crate::glance::{Brief, Glance};
use crate::{menu, window};

const ID: &str = "main";
/// A name in a menu is cut to this.
const LONGEST: usize = 48;

/// Makes the icon. A desktop without a tray, or without the library for it, has none.
pub(crate) fn build(app: &AppHandle) {
    // The library is loaded when it is first needed, and a missing one is a panic there.
    let built = catch_unwind(AssertUnwindSafe(|| try_build(app)));
    match built {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "there is no tray"),
        Err(_) => tracing::warn!("there is no tray: its library is missing"),
    }
}

pub(crate) fn is_there(app: &AppHandle) -> bool {
    app.tray_by_id(ID).is_some()
}

/// Shows how things stand.
pub(crate) fn show(app: &AppHandle, glance: &Glance) {
    let Some(tray) = app.tray_by_id(ID) else {
        return;
    };
    let text = glance.to_string();
    let shown = menu_of(app, glance).and_then(|menu| {
        tray.set_menu(Some(menu))?;
        tray.set_tooltip(Some(format!("{}: {text}", window::TITLE)))
    });
    if let Err(error) = shown {
        tracing::warn!(%error, "the tray does not show how things stand");
    }
}

pub(crate) fn toggle_start_at_login(app: &AppHandle) {
    let starts = app.autolaunch();
    let changed = match starts.is_enabled() {
        Ok(true) => starts.disable(),
        _ => starts.enable(),
    };
    if let Err(error) = changed {
        tracing::warn!(%error, "the start at login is not changed");
    }
}

fn try_build(app: &AppHandle) -> tauri::Result<()> {
    let mut tray = TrayIconBuilder::with_id(ID)
        .tooltip(window::TITLE)
        .menu(&menu_of(app, &Glance::default())?)
        .show_menu_on_left_click(false)
        .on_tray_icon_event(|tray, event| {
            if let TrayIconEvent::Click {
                button: MouseButton::Left,
                button_state: MouseButtonState::Up,
                ..
            } = event
            {
                window::show(tray.app_handle(), None);
            }
        });
    if let Some(icon) = app.default_window_icon() {
        tray = tray.icon(icon.clone());
    }
    tray.build(app).map(drop)
}

fn menu_of(app: &AppHandle, glance: &Glance) -> tauri::Result<Menu<Wry>> {
    let state = MenuItemBuilder::new(glance.to_string())
        .enabled(false)
        .build(app)?;
    let mut menu = MenuBuilder::new(app).item(&state);
    for (label, named) in [("needs you", &glance.waiting), ("running", &glance.working)] {
        for session in &named.sessions {
            menu = menu.text(
                format!("{}{}", menu::SESSION, session.id),
                format!("{} ({label})", short(session)),
            );
        }
    }
    let at_login = CheckMenuItemBuilder::with_id(menu::AT_LOGIN, "Start at login")
        .checked(app.autolaunch().is_enabled().unwrap_or(false))
        .build(app)?;
    menu.separator()
        .text(menu::SHOW, "Show window")
        .text(menu::NEW, "New session")
        .separator()
        .item(&at_login)
        .text(menu::QUIT, "Quit (agents go on)")
        .build()
}

fn short(session: &Brief) -> String {
    let mut letters = session.name.chars();
    let mut name: String = letters.by_ref().take(LONGEST).collect();
    if letters.next().is_some() {
        name.push('…');
    }
    name
}
