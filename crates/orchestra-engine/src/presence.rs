//! Whether the desktop app is open. It shows notifications before anybody else does, because a click on one of its own leads
//! to the session. A locked file tells, so an app that died is never waited for.

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::lease::{Held, lock_file};
use crate::{Engine, EngineError};

/// How long whoever only looks may keep the file.
const LOOKS: Duration = Duration::from_millis(500);

/// The app is open for as long as this value is there.
#[derive(Debug)]
pub struct AppPresence {
    _held: Held,
}

impl Engine {
    /// Says that the desktop app is open; `None` if another one is.
    ///
    /// # Errors
    /// If the file cannot be locked.
    pub fn announce_app(&self) -> Result<Option<AppPresence>, EngineError> {
        let deadline = Instant::now() + LOOKS;
        loop {
            let held = lock_file(&self.app_file())
                .map_err(|source| EngineError::io("say that the app is open", source))?;
            if held.is_some() || Instant::now() >= deadline {
                return Ok(held.map(|held| AppPresence { _held: held }));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn is_app_open(&self) -> bool {
        let Ok(file) = File::open(self.app_file()) else {
            return false;
        };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    fn app_file(&self) -> PathBuf {
        self.dirs.root().join("desktop.lock")
    }
}
