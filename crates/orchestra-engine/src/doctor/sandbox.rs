//! What this machine has to hold agents, and whether sessions want it.

use orchestra_core::{Isolation, Session};

use super::{Diagnosis, Health};
use crate::sandbox::missing_layers;
use crate::{Engine, EngineError};

const NAME: &str = "sandbox";

impl Engine {
    /// A layer that is missing is wrong only where it keeps sessions from running.
    pub(super) fn check_layers(&self) -> Result<Vec<Diagnosis>, EngineError> {
        let layers = self.present_layers();
        let names: Vec<_> = layers.names().iter().map(ToString::to_string).collect();
        let missing = missing_layers(layers);
        let Some(first) = missing.first() else {
            let names = names.join(" and ");
            return Ok(vec![Diagnosis::new(NAME, Health::Good, names)]);
        };
        let lost: Vec<_> = missing.iter().map(ToString::to_string).collect();
        let lost = lost.join(" nor ");
        let (health, detail) = match self.sandbox_layers() {
            Ok(_) => (
                Health::Note,
                format!("{} without {lost}", names.join(" and ")),
            ),
            Err(_) if self.is_sandbox_wanted()? => (
                Health::Bad,
                format!("no working {lost}, and sessions are to run in a sandbox"),
            ),
            Err(_) => (
                Health::Note,
                format!("no working {lost}: sessions cannot run in a sandbox"),
            ),
        };
        let hint = match cfg!(target_os = "linux") {
            true => first.how_to_get(),
            false => "sessions run in a sandbox on Linux alone",
        };
        Ok(vec![Diagnosis::new(NAME, health, detail).hint(hint)])
    }

    fn is_sandbox_wanted(&self) -> Result<bool, EngineError> {
        let wants = |session: &Session| self.isolation_of(session) == Isolation::Sandbox;
        let is_usual = self.config().security.isolation == Isolation::Sandbox;
        let sessions = self.all_sessions()?;
        let mut open = sessions.iter().filter(|it| it.archived_at.is_none());
        Ok(is_usual || open.any(wants))
    }
}
