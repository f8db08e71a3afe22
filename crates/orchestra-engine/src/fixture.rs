//! Records for tests beside the code.

use orchestra_core::{NewSession, RepositoryId, Session, SessionId, Timestamp};

/// A session in which nothing was done yet.
pub(crate) fn session_named(name: &str) -> Session {
    let new = NewSession {
        id: SessionId::from_random([1; 8]),
        repository: RepositoryId(1),
        name: name.parse().unwrap(),
        prompt: String::new(),
        base_branch: "main".parse().unwrap(),
        base_commit: "a".repeat(40).parse().unwrap(),
        branch: "amp/login".parse().unwrap(),
        worktree: "/w".into(),
        agent: "amp".to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
    };
    Session {
        worktree_ready: true,
        ..Session::new(new)
    }
}
