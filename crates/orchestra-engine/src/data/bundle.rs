//! The commits of a session in one file, for an export.

use std::path::PathBuf;

use orchestra_core::{Change, CommitId, Operation, Session, SessionId, SnapshotName};
use orchestra_git::{BundleTip, Repository, Snapshot};

use crate::{Engine, EngineError};

/// What a bundle has and what it does not have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionBundle {
    /// The full names of what is in it; without any, there is no bundle.
    pub names: Vec<String>,
    /// What is not in it, and why.
    pub left_out: Vec<String>,
}

impl Engine {
    /// Hands on a git bundle of a session's branch, and of where it was when snapshots were taken, as far as the base does
    /// not have it.
    ///
    /// # Errors
    /// If the repository is missing, a snapshot cannot be read, or git fails.
    pub fn bundle_session(
        &self,
        id: &SessionId,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<SessionBundle, EngineError> {
        let session = self.session(id)?.session;
        let repository = self.repository_of(&session)?;
        let mut bundle = SessionBundle::default();
        if !repository.commit_exists(&session.base_commit)? {
            let base = session.base_commit.short();
            bundle.left_out.push(format!("its base {base} is gone"));
            return Ok(bundle);
        }
        let kept = self.kept_commits(&session)?;
        let tips = tips(&session, &repository, &kept)?;
        let kept: Vec<Snapshot> = kept.into_iter().map(|(_, snapshot, _)| snapshot).collect();
        let inside = repository.bundle(&tips, &kept, &session.base_commit, sink)?;
        bundle.names = inside.iter().map(BundleTip::name).collect();
        let branch = format!("refs/heads/{}", session.branch);
        if !bundle.names.contains(&branch) {
            let is_there = tips.iter().any(|tip| tip.name() == branch);
            let why = match is_there {
                true => "has no commits that its base does not have",
                false => "is gone",
            };
            let branch = &session.branch;
            bundle.left_out.push(format!("its branch `{branch}` {why}"));
        }
        Ok(bundle)
    }

    /// The folders of a session's snapshots, by name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn snapshots_of(
        &self,
        id: &SessionId,
    ) -> Result<Vec<(SnapshotName, PathBuf)>, EngineError> {
        let operations = self.operations(id)?.into_iter();
        let names = operations.filter_map(|operation| operation.snapshot);
        let folders = names.map(|name| {
            let folder = self.dirs.snapshots().join(id.as_str()).join(name.as_str());
            (name, folder)
        });
        Ok(folders.filter(|(_, folder)| folder.exists()).collect())
    }

    /// Snapshots that have commits of the session's branch, with the one where it was.
    fn kept_commits(
        &self,
        session: &Session,
    ) -> Result<Vec<(SnapshotName, Snapshot, CommitId)>, EngineError> {
        let operations = self.operations(&session.id)?;
        let mut kept = Vec::new();
        for (name, folder) in self.snapshots_of(&session.id)? {
            let snapshot = Snapshot::in_folder(&folder);
            let mut of_it = operations.iter();
            let of_it = of_it.find(|operation| operation.snapshot.as_ref() == Some(&name));
            if let Some(commit) = of_it.and_then(|operation| was(session, operation, &snapshot)) {
                kept.push((name, snapshot, commit));
            }
        }
        Ok(kept)
    }
}

/// Where the session's branch was before an operation. What happened to its base is not its work.
fn was(session: &Session, operation: &Operation, snapshot: &Snapshot) -> Option<CommitId> {
    match &operation.change {
        Change::Branch { branch, from, .. }
        | Change::Checkout { branch, from, .. }
        | Change::Index { branch, from, .. } => (*branch == session.branch).then(|| from.clone()),
        Change::Worktree { .. } => snapshot.commit().ok(),
        Change::Trash { .. } | Change::TrashedBranch { .. } | Change::Lasting => None,
    }
}

fn tips(
    session: &Session,
    repository: &Repository,
    kept: &[(SnapshotName, Snapshot, CommitId)],
) -> Result<Vec<BundleTip>, EngineError> {
    let head = repository.find_branch(&session.branch)?;
    let head = head.map(|head| BundleTip::Branch(session.branch.clone(), head));
    let kept = kept
        .iter()
        .map(|(name, _, commit)| BundleTip::Snapshot(name.clone(), commit.clone()));
    Ok(head.into_iter().chain(kept).collect())
}
