-- What a session's branch was on a remote when it was pushed last: only that may be replaced.
CREATE TABLE pushes (
    session   TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    remote    TEXT NOT NULL,
    branch    TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    pushed_at INTEGER NOT NULL,
    PRIMARY KEY (session, remote, branch)
) STRICT;

-- The disk space of a session's worktree, as it was counted last.
CREATE TABLE disk_use (
    session      TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    own_bytes    INTEGER NOT NULL,
    shared_bytes INTEGER NOT NULL,
    checked_at   INTEGER NOT NULL
) STRICT;

-- When a worktree that lay in the trash was deleted for good.
ALTER TABLE sessions ADD COLUMN worktree_deleted_at INTEGER;
