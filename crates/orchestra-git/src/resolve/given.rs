//! Conflicts that somebody decides with content of their own.

use super::{ResolveError, Side, markers};
use crate::files::Place;
use crate::index_entry::Entry;
use crate::merge::{ConflictedFile, Stage};
use crate::shadow::Shadow;
use crate::worktree::Worktree;
use orchestra_core::EntryMode;

impl Worktree {
    pub(super) fn require_possible_content(
        &self,
        file: &ConflictedFile,
        content: Option<&[u8]>,
    ) -> Result<(), ResolveError> {
        let is_link = |stage: &Stage| stage.mode == EntryMode::Submodule;
        let mut versions = [&file.ours, &file.theirs].into_iter().flatten();
        if versions.any(is_link) {
            return Err(ResolveError::Submodule(file.path.clone()));
        }
        let Some(content) = content else {
            return Ok(());
        };
        if file.meets_directory {
            return Err(ResolveError::InTheWay(file.path.clone()));
        }
        let lines = markers::lines(content);
        if !lines.is_empty() {
            let path = file.path.clone();
            return Err(ResolveError::MarkersLeft { path, lines });
        }
        self.require_place_of_file(file)
    }

    /// The file comes first: while the index has the conflict, doing it again is harmless.
    pub(super) fn take_given(
        &self,
        shadow: &Shadow,
        file: &ConflictedFile,
        content: Option<&[u8]>,
    ) -> Result<(), ResolveError> {
        let place = Place::new(self.path(), &file.path);
        let Some(content) = content else {
            place.remove()?;
            self.write_directory(shadow, file)?;
            let gone = [(&file.path, None::<&Entry>)];
            return Ok(self.put_index_entries(shadow, gone)?);
        };
        if place.is_free()? {
            // What a side has says whether the file can be run.
            let sides = [Side::Theirs, Side::Ours].into_iter();
            let mut sides = sides.filter(|side| side.of(file).is_some());
            if let Some(side) = sides.next() {
                self.write_version(shadow, file, side)?;
            }
        }
        place.write(content)?;
        Ok(self.stage_as_it_is(shadow, std::slice::from_ref(&file.path))?)
    }
}
