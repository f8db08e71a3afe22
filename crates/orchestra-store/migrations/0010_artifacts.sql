-- Files that were collected from worktrees. A name has one owner in its repository, also while the file is written; file
-- systems that do not tell case apart must not mix two of them up.
CREATE TABLE artifacts (
    repository   INTEGER NOT NULL REFERENCES repositories (id),
    name         TEXT NOT NULL COLLATE NOCASE,
    session      TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    source       TEXT NOT NULL,
    bytes        INTEGER,
    collected_at INTEGER NOT NULL,
    PRIMARY KEY (repository, name),
    UNIQUE (session, source)
) STRICT;
