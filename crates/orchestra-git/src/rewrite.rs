//! New commits without a checkout: made from trees that exist, so no file and no index is touched and no branch moves.

mod error;
mod message;
mod range;
mod replay;
mod squash;
mod there;

use orchestra_core::{CommitId, Timestamp, TreeId};

pub use error::RewriteError;
pub use replay::{RebaseStop, Replay, ReplayRequest};
pub use squash::{SquashRequest, Squashed};

use crate::commit_object::{CommitObject, signature};
use crate::configuration::Identity;
use crate::error::GitError;
use crate::repository::Repository;

/// Who makes a commit and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitStamp {
    /// Who.
    pub identity: Identity,
    /// When.
    pub at: Timestamp,
}

impl CommitStamp {
    fn signature(&self) -> Vec<u8> {
        signature(&self.identity, self.at)
    }
}

impl Repository {
    /// Makes a commit of a tree. The message is taken as it is, but for bytes that no message can have.
    ///
    /// # Errors
    /// If git fails.
    pub fn commit_tree(
        &self,
        tree: &TreeId,
        parents: &[CommitId],
        message: &[u8],
        author: &CommitStamp,
        committer: &CommitStamp,
    ) -> Result<CommitId, GitError> {
        self.write_commit(&CommitObject {
            tree: tree.clone(),
            parents: parents.to_vec(),
            author: author.signature(),
            committer: committer.signature(),
            encoding: None,
            message: without_nul(message),
        })
    }

    /// Makes a commit again with other files and parents. Author, time of writing, encoding and, unless there is a new one, the
    /// message stay.
    ///
    /// # Errors
    /// If the original is missing or git fails.
    pub fn commit_again(
        &self,
        original: &CommitId,
        tree: &TreeId,
        parents: &[CommitId],
        message: Option<&[u8]>,
        committer: &CommitStamp,
    ) -> Result<CommitId, GitError> {
        let original = self.read_commit(original)?;
        self.write_commit(&CommitObject {
            tree: tree.clone(),
            parents: parents.to_vec(),
            committer: committer.signature(),
            message: message.map_or(original.message, without_nul),
            ..original
        })
    }
}

fn without_nul(message: &[u8]) -> Vec<u8> {
    let bytes = message.iter().copied();
    bytes.filter(|byte| *byte != 0).collect()
}
