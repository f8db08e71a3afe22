//! What the shell asks of the page: a page to show after a click on a notification, a menu entry, a link.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use tauri::ipc::Channel;

/// One thing that the page should do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Order {
    /// Show a page.
    Go { path: String },
    /// Show the command palette.
    Palette,
    /// Show the keyboard shortcuts.
    Shortcuts,
}

/// The way to the page. What is ordered before the page listens waits.
#[derive(Default)]
pub(crate) struct Orders {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    page: Option<Channel<Order>>,
    waiting: Vec<Order>,
}

impl Orders {
    pub(crate) fn give(&self, order: Order) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = state.page.as_ref().map(|page| page.send(order.clone()));
        if !matches!(sent, Some(Ok(()))) {
            state.waiting.push(order);
        }
    }

    /// A page listens: one that was loaded anew takes the place of the one before.
    pub(crate) fn connect(&self, page: Channel<Order>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for order in state.waiting.drain(..) {
            // A page that is gone already comes back and asks again.
            page.send(order).ok();
        }
        state.page = Some(page);
    }

    /// The page is loaded anew, so what it heard with is gone.
    pub(crate) fn disconnect(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.page = None;
    }
}
