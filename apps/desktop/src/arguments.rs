//! What the app is started with, by a person, the desktop, or a link.

use clap::Parser;

use crate::link;

/// Amp Orchestra in a window of its own
#[derive(Debug, Default, Parser)]
#[command(
    name = "orchestra-desktop",
    version,
    about,
    after_help = "\
Examples:
  orchestra-desktop                             shows the window
  orchestra-desktop --background                only the tray, for a start at login
  orchestra-desktop orchestra://session/login   shows one session

There is one app per user: a second start passes its arguments on to the first."
)]
pub(crate) struct Arguments {
    /// Start without a window
    #[arg(long)]
    pub(crate) background: bool,
    /// What to show, such as orchestra://session/<id>
    link: Option<String>,
}

impl Arguments {
    /// The page that the link leads to.
    pub(crate) fn page(&self) -> Option<String> {
        self.link.as_deref().and_then(link::page)
    }
}
