//! Many merges at once, only to see whether they work: one git process for each core, and nothing stays in the repository.

use orchestra_core::CommitId;

use super::{MergeResult, answer};
use crate::error::GitError;
use crate::repository::Repository;
use crate::shadow::Shadow;
use crate::version::GitVersion;

/// Starting a process and a thread costs as much as merging a few pairs.
const FEWEST_PER_PROCESS: usize = 8;

const OPTIONS: [&str; 2] = ["--write-tree", "--allow-unrelated-histories"];

impl Repository {
    /// Merges each pair, the second into the first, and answers in the same order. The trees are not kept: only their ids mean
    /// something. Histories with nothing in common are merged as if both had started empty, and the attributes of some of the
    /// first commits apply to all.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn merge_many(&self, pairs: &[(CommitId, CommitId)]) -> Result<Vec<MergeResult>, GitError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let size = pairs.len().div_ceil(cores).max(FEWEST_PER_PROCESS);
        let shadow = &Shadow::of_borrowed_objects(self)?;
        let answers = std::thread::scope(|scope| {
            let start = |chunk| scope.spawn(move || self.merge_chunk(shadow, chunk));
            let threads: Vec<_> = pairs.chunks(size).map(start).collect();
            let ends = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
            ends.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect::<Result<Vec<_>, _>>()
        });
        Ok(answers?.into_iter().flatten().collect())
    }

    fn merge_chunk(
        &self,
        shadow: &Shadow,
        pairs: &[(CommitId, CommitId)],
    ) -> Result<Vec<MergeResult>, GitError> {
        if self.git().version() < GitVersion::MANY_MERGES {
            return pairs
                .iter()
                .map(|(ours, theirs)| {
                    let call = shadow.call("merge-tree").args(OPTIONS);
                    let call = call.args(["-z", ours.as_str(), theirs.as_str()]);
                    self.run_merge(&call)
                })
                .collect();
        }
        let lines: String = pairs
            .iter()
            .map(|(ours, theirs)| format!("{ours} {theirs}\n"))
            .collect();
        let call = shadow
            .call("merge-tree")
            .args(OPTIONS)
            .arg("--stdin")
            .stdin(lines.into_bytes());
        let call = match pairs.first() {
            Some((ours, _)) => self.with_attributes_of(call, ours),
            None => return Ok(Vec::new()),
        };
        let answer = self.git().run(&call)?.require_success()?;
        answer::parse_many(&answer.stdout)
            .filter(|results| results.len() == pairs.len())
            .ok_or_else(|| call.unreadable("a record is cut"))
    }
}
