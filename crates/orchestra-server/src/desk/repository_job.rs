//! Long work outside of a session.

use std::path::{Path, PathBuf};

use orchestra_engine::{Engine, OpenOptions};

use super::{DeskParts, require_checkout};
use crate::error::ApiError;

impl DeskParts {
    /// Does something on this thread, by the settings of the repository that a directory belongs to, or of the user alone.
    pub(crate) fn act_now_in<T>(
        &self,
        path: Option<&Path>,
        act: impl FnOnce(&Engine, Option<&Path>) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let root = path.map(require_checkout).transpose()?;
        self.engines
            .act(root.as_deref(), |engine| act(engine, root.as_deref()))
    }

    /// What an engine is opened with there.
    pub(crate) fn open_options(&self, path: Option<&Path>) -> Result<OpenOptions, ApiError> {
        let root: Option<PathBuf> = path.map(require_checkout).transpose()?;
        Ok(self.engines.options(root.as_deref()))
    }
}
