//! Interrupt and termination during a turn.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};

/// Why the steps of a turn cannot go on.
#[derive(Debug)]
pub(crate) enum Halt {
    /// Interrupt or termination arrived.
    Cancelled,
    /// Nobody reads standard output any more.
    OutputClosed,
    /// A step could not be done; the text becomes the error result.
    Failed(String),
}

/// Notices signals; until it exists they kill the program, as at Amp's login prompt.
pub(crate) struct Cancel {
    requested: Arc<AtomicBool>,
    /// Set by whoever asks without a signal.
    asked: Arc<AtomicBool>,
    ignored: Cell<bool>,
}

impl Cancel {
    pub(crate) fn watch() -> std::io::Result<Self> {
        let requested = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&requested))?;
        }
        Ok(Self {
            requested,
            asked: Arc::default(),
            ignored: Cell::new(false),
        })
    }

    pub(crate) fn ignore(&self) {
        self.ignored.set(true);
    }

    /// Whether a signal came that is not ignored.
    pub(crate) fn is_signalled(&self) -> bool {
        self.requested.load(Ordering::SeqCst) && !self.ignored.get()
    }

    /// What asks for the end of a turn without a signal.
    pub(crate) fn asking(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.asked)
    }

    pub(crate) fn check(&self) -> Result<(), Halt> {
        let is_asked = self.asked.load(Ordering::SeqCst);
        if (is_asked || self.requested.load(Ordering::SeqCst)) && !self.ignored.get() {
            return Err(Halt::Cancelled);
        }
        Ok(())
    }

    /// Waits, but not longer than until a signal arrives.
    pub(crate) fn pause(&self, length: Duration) -> Result<(), Halt> {
        let end = Instant::now() + length;
        loop {
            self.check()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(Duration::from_millis(10)));
        }
    }

    /// Waits for a signal.
    pub(crate) fn hang(&self) -> Halt {
        loop {
            if let Err(halt) = self.pause(Duration::from_secs(1)) {
                return halt;
            }
        }
    }
}
