//! Commands of a repository's own files, which run only once their text was allowed.

use std::path::Path;

use orchestra_engine::{Engine, ProjectCommand};

use crate::error::ApiError;

/// Allows those that are not allowed yet, because the request says so.
pub(crate) fn allow(
    engine: &Engine,
    root: &Path,
    commands: Vec<ProjectCommand>,
) -> Result<(), ApiError> {
    let new: Vec<_> = commands.into_iter().filter(|it| !it.is_allowed()).collect();
    if !new.is_empty() {
        engine.allow_commands(root, &new)?;
    }
    Ok(())
}
