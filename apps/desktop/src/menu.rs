//! The menu of the window, and what its entries and those of the tray do.

use tauri::menu::{AboutMetadata, Menu, MenuItemBuilder, SubmenuBuilder};
use tauri::{AppHandle, Manager, WebviewWindow};

use crate::orders::{Order, Orders};
use crate::{quit, tray, update, window};

pub(crate) const NEW: &str = "new";
pub(crate) const SHOW: &str = "show";
pub(crate) const AT_LOGIN: &str = "at-login";
pub(crate) const QUIT: &str = "quit";
/// Entries that lead to a session begin like this.
pub(crate) const SESSION: &str = "session:";

const PALETTE: &str = "palette";
const SHORTCUTS: &str = "shortcuts";
const RELOAD: &str = "reload";
const CLOSE: &str = "close";
const UPDATE: &str = "update";
const ZOOM: [(&str, &str, &str); 3] = [
    ("zoom-in", "Zoom in", "CmdOrCtrl+="),
    ("zoom-out", "Zoom out", "CmdOrCtrl+-"),
    ("zoom-reset", "Actual size", "CmdOrCtrl+0"),
];
/// Pages with their entries.
const PAGES: [(&str, &str, &str); 5] = [
    ("/", "Sessions", "CmdOrCtrl+1"),
    ("/dashboard", "Dashboard", "CmdOrCtrl+2"),
    ("/conflicts", "Conflicts", "CmdOrCtrl+3"),
    ("/manage", "Manage", "CmdOrCtrl+4"),
    ("/manage/settings", "Settings", "CmdOrCtrl+,"),
];
const ZOOM_STEP: f64 = 0.1;
const ZOOM_RANGE: (f64, f64) = (0.5, 2.0);

/// The window's menu.
pub(crate) fn build(app: &AppHandle) -> tauri::Result<Menu<tauri::Wry>> {
    let item = |id: &str, text: &str, keys: &str| {
        MenuItemBuilder::with_id(id, text)
            .accelerator(keys)
            .build(app)
    };
    let file = SubmenuBuilder::new(app, "File")
        .item(&item(NEW, "New session", "CmdOrCtrl+N")?)
        .separator()
        .item(&item(CLOSE, "Close window", "CmdOrCtrl+W")?)
        .item(&item(QUIT, "Quit", "CmdOrCtrl+Q")?)
        .build()?;
    let edit = SubmenuBuilder::new(app, "Edit")
        .undo()
        .redo()
        .separator()
        .cut()
        .copy()
        .paste()
        .select_all()
        .build()?;
    let mut view = SubmenuBuilder::new(app, "View");
    for (path, text, keys) in PAGES {
        view = view.item(&item(path, text, keys)?);
    }
    view = view
        .separator()
        .item(&item(PALETTE, "Command palette", "CmdOrCtrl+K")?)
        .separator();
    for (id, text, keys) in ZOOM {
        view = view.item(&item(id, text, keys)?);
    }
    let view = view
        .item(&item(RELOAD, "Reload", "CmdOrCtrl+R")?)
        .fullscreen()
        .build()?;
    let mut help = SubmenuBuilder::new(app, "Help").text(SHORTCUTS, "Keyboard shortcuts");
    if update::is_possible(app) {
        help = help.text(UPDATE, "Check for updates");
    }
    let about = AboutMetadata {
        name: Some(window::TITLE.to_owned()),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        ..AboutMetadata::default()
    };
    let help = help.separator().about(Some(about)).build()?;
    Menu::with_items(app, &[&file, &edit, &view, &help])
}

/// Does what an entry says, in the window's menu or the tray's.
pub(crate) fn chosen(app: &AppHandle, id: &str) {
    let order = |order| app.state::<Orders>().give(order);
    match id {
        NEW => window::show(app, Some("/new".to_owned())),
        SHOW => window::show(app, None),
        AT_LOGIN => tray::toggle_start_at_login(app),
        QUIT => quit::quit(app),
        PALETTE => order(Order::Palette),
        SHORTCUTS => order(Order::Shortcuts),
        UPDATE => update::check(app),
        CLOSE => on_window(app, WebviewWindow::close),
        RELOAD => on_window(app, WebviewWindow::reload),
        _ => match id.strip_prefix(SESSION) {
            Some(session) => window::show(app, Some(format!("/sessions/{session}"))),
            None if id.starts_with('/') => window::show(app, Some(id.to_owned())),
            None => zoom(app, id),
        },
    }
}

fn on_window(app: &AppHandle, act: impl FnOnce(&WebviewWindow) -> tauri::Result<()>) {
    if let Some(window) = app.get_webview_window(window::LABEL)
        && let Err(error) = act(&window)
    {
        tracing::warn!(%error, "the window refused");
    }
}

/// How large the page is shown.
#[derive(Default)]
pub(crate) struct Zoom(std::sync::Mutex<Option<f64>>);

fn zoom(app: &AppHandle, id: &str) {
    let state = app.state::<Zoom>();
    let mut factor = state
        .0
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let now = factor.unwrap_or(1.0);
    let next = match id {
        "zoom-in" => now + ZOOM_STEP,
        "zoom-out" => now - ZOOM_STEP,
        _ => 1.0,
    };
    let next = next.clamp(ZOOM_RANGE.0, ZOOM_RANGE.1);
    *factor = Some(next);
    on_window(app, |window| window.set_zoom(next));
}
