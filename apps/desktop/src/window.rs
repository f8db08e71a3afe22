//! The window: made when it is first shown, hidden when it is closed, and never anywhere but at the page.

use std::path::Path;

use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{AppHandle, Manager, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder};
use tauri_plugin_window_state::{StateFlags, WindowExt};

use crate::commands::Streams;
use crate::glance::News;
use crate::menu;
use crate::orders::{Order, Orders};
use crate::scheme;

/// The only window's name.
pub(crate) const LABEL: &str = "main";
/// Its title.
pub(crate) const TITLE: &str = "Amp Orchestra";
const SIZE: (f64, f64) = (1280.0, 820.0);
const SMALLEST: (f64, f64) = (760.0, 520.0);

/// Whether a window that is shown again stays as it was is not for the file of the last run to say.
pub(crate) fn remembered() -> StateFlags {
    StateFlags::all() & !StateFlags::VISIBLE & !StateFlags::DECORATIONS
}

/// Shows the window, in front, at a page if one is named.
pub(crate) fn show(app: &AppHandle, page: Option<String>) {
    if let Some(path) = page {
        app.state::<Orders>().give(Order::Go { path });
    }
    let shown = match app.get_webview_window(LABEL) {
        Some(window) => bring_forward(&window),
        None => build(app).map(drop),
    };
    if let Err(error) = shown {
        tracing::error!(%error, "the window cannot be shown");
    }
}

/// Whether somebody looks at the window.
pub(crate) fn is_looked_at(app: &AppHandle) -> bool {
    let window = app.get_webview_window(LABEL);
    window.is_some_and(|it| it.is_visible().unwrap_or(false) && it.is_focused().unwrap_or(false))
}

fn bring_forward(window: &WebviewWindow) -> tauri::Result<()> {
    window.unminimize()?;
    window.show()?;
    window.set_focus()
}

fn build(app: &AppHandle) -> tauri::Result<WebviewWindow> {
    let address: Url = scheme::ADDRESS.parse().map_err(tauri::Error::InvalidUrl)?;
    let handle = app.clone();
    let window = WebviewWindowBuilder::new(app, LABEL, WebviewUrl::CustomProtocol(address))
        .title(TITLE)
        .inner_size(SIZE.0, SIZE.1)
        .min_inner_size(SMALLEST.0, SMALLEST.1)
        .menu(menu::build(app)?)
        .on_navigation(is_page)
        .on_new_window(|address, _| {
            open_outside(&address);
            NewWindowResponse::Deny
        })
        .on_page_load(move |_, load| {
            if load.event() == PageLoadEvent::Started {
                handle.state::<Orders>().disconnect();
                handle.state::<Streams>().stop_all();
            }
        })
        .build()?;
    if let Err(error) = window.restore_state(remembered()) {
        tracing::warn!(%error, "the window's last place is not known");
    }
    app.state::<News>().tell();
    Ok(window)
}

/// The window shows the page and nothing else, whatever a link says.
fn is_page(address: &Url) -> bool {
    let is_ours = match address.scheme() {
        scheme::NAME => address.host_str() == Some("localhost"),
        // Schemes of its own are hosts on Windows.
        "http" | "https" if cfg!(windows) => address.host_str() == Some("engine.localhost"),
        other => matches!(other, "about" | "blob"),
    };
    if !is_ours {
        open_outside(address);
    }
    is_ours
}

/// Opens an address with the program that is made for it. Only addresses of pages and of editors leave the app.
pub(crate) fn open_outside(address: &Url) {
    if !matches!(address.scheme(), "http" | "https" | "mailto" | "vscode") {
        tracing::warn!(scheme = address.scheme(), "such an address is not opened");
        return;
    }
    if let Err(error) = tauri_plugin_opener::open_url(address.as_str(), None::<&str>) {
        tracing::warn!(%error, "an address cannot be opened");
    }
}

/// What a file is called when it is saved, whatever the page says.
pub(crate) fn file_name(name: &str) -> String {
    let name = Path::new(name).file_name().and_then(|it| it.to_str());
    name.unwrap_or("file").to_owned()
}
