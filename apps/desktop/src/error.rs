//! Why the app cannot start, in words for the person in front of it.

use std::io;
use std::path::PathBuf;

use orchestra_server::ApiError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("the program `orchestra`, which runs agents, is missing: it should be at {}", .0.display())]
    ProgramMissing(PathBuf),
    #[error("cannot {action}: {source}")]
    Io {
        action: &'static str,
        source: io::Error,
    },
    #[error("{}{}", .0.body.message, hint(.0))]
    Engine(ApiError),
    #[error("another Amp Orchestra is open with the same data and does not answer")]
    OtherApp,
}

impl From<ApiError> for StartError {
    fn from(error: ApiError) -> Self {
        Self::Engine(error)
    }
}

fn hint(error: &ApiError) -> String {
    match &error.body.hint {
        Some(hint) => format!("\n\n{hint}"),
        None => String::new(),
    }
}
