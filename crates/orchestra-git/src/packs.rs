//! Packs of objects outside of the repository: what no reference leads to, git removes one day.

use std::fs;
use std::path::Path;

use crate::call::Call;
use crate::disk;
use crate::error::{AtPath, GitError};
use crate::repository::Repository;

impl Repository {
    /// Packs what revisions lead to, one on each line. `call` is of `pack-objects` and says through what git looks.
    pub(crate) fn pack_into(
        &self,
        pack: &Path,
        call: Call,
        revisions: String,
    ) -> Result<(), GitError> {
        let call = call
            .args(["--revs", "--quiet", "--stdout"])
            .stdin(revisions.into_bytes());
        disk::stream_to_file(pack, |sink| {
            let answer = self.git().stream(&call, sink)?;
            answer.require_success().map(drop)
        })
    }

    /// Puts the objects of a pack into the repository. Those that are there do no harm.
    pub(crate) fn unpack(&self, pack: &Path) -> Result<(), GitError> {
        let call = self.objects()?.call("unpack-objects").arg("-q");
        let call = call.stdin(fs::read(pack).at(pack)?);
        self.git().run(&call)?.require_success().map(drop)
    }
}
