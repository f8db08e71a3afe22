//! A server that goes on without the terminal it was started from.

use std::thread;
use std::time::{Duration, Instant};

use orchestra_api::RunningServer;
use orchestra_server::Registry;

use crate::context::Context;
use crate::error::CliError;

/// How long a server may take until it listens on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Starts a server with these words and answers once it says where it is. Of two that start at once, one serves.
pub(super) fn start(
    context: &Context,
    registry: &Registry,
    words: &[String],
) -> Result<RunningServer, CliError> {
    let overrides = context.global().overrides.iter();
    let settings = overrides.map(|(key, value)| format!("--set-config={key}={value}"));
    let mut arguments = vec!["serve".to_owned(), "--detached".to_owned()];
    arguments.extend(words.iter().cloned().chain(settings));
    let log = context.engine.start_detached(&arguments)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(running) = registry.running() {
            return Ok(running);
        }
        if Instant::now() >= deadline {
            return Err(CliError::refused(
                "server.not_started",
                "the server did not begin to serve",
                format!("{} says why", log.display()),
            ));
        }
        thread::sleep(Duration::from_millis(10));
    }
}
