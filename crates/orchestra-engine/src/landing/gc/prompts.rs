//! Prompts of sessions that could not be made are kept for as long as snapshots are.

use std::fs;
use std::path::PathBuf;

use super::{Dropped, Gc};
use crate::backup::age;
use crate::folder::paths_in;
use crate::{Engine, EngineError};

impl Engine {
    pub(super) fn drop_old_prompts(&self, request: Gc) -> Result<Dropped, EngineError> {
        let retention = self.config().git.undo_retention;
        let is_old = |file: &PathBuf| age(file).is_some_and(|age| age >= retention);
        let mut dropped = Dropped::default();
        let kept = paths_in(&self.dirs.prompts())?;
        for file in kept.into_iter().filter(is_old) {
            let failed = |source| EngineError::io(format!("remove {}", file.display()), source);
            dropped.count += 1;
            dropped.bytes += fs::symlink_metadata(&file).map_err(failed)?.len();
            if request == Gc::Do {
                fs::remove_file(&file).map_err(failed)?;
            }
        }
        Ok(dropped)
    }
}
