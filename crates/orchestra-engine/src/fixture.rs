//! Records for tests beside the code.

use orchestra_core::{RepositoryId, Session, SessionId, Timestamp};

/// A session in which nothing was done yet.
pub(crate) fn session_named(name: &str) -> Session {
    Session {
        id: SessionId::from_random([1; 8]),
        repository: RepositoryId(1),
        name: name.parse().unwrap(),
        prompt: String::new(),
        notes: None,
        constraints: None,
        issue: None,
        base_branch: "main".parse().unwrap(),
        base_remote: None,
        base_commit: "a".repeat(40).parse().unwrap(),
        branch: "amp/login".parse().unwrap(),
        branch_adopted: false,
        worktree: "/w".into(),
        worktree_ready: true,
        agent: "amp".to_owned(),
        model: None,
        script: None,
        timeout: None,
        thread: None,
        created_at: Timestamp::UNIX_EPOCH,
        last_run: None,
        archived_at: None,
        landed: None,
        rebase: None,
        trash: None,
        approval: None,
        worktree_deleted_at: None,
        first_name: None,
    }
}
