-- What was done to a session and can be undone. A row is written before the effect and finished after it.
CREATE TABLE operations (
    key         INTEGER PRIMARY KEY AUTOINCREMENT,
    session     TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    kind        TEXT NOT NULL,
    state       TEXT NOT NULL,
    change      TEXT NOT NULL,
    before      TEXT NOT NULL,
    after       TEXT NOT NULL,
    snapshot    TEXT,
    undoes      INTEGER REFERENCES operations (key),
    iteration   INTEGER,
    overridden  TEXT NOT NULL DEFAULT '[]',
    summary     TEXT NOT NULL,
    started_at  INTEGER NOT NULL,
    finished_at INTEGER
) STRICT;

CREATE INDEX operations_of_session ON operations (session, key);
CREATE INDEX operations_open ON operations (session) WHERE state = 'open';

-- Where a session landed, beside landed_at; a rebase that stopped at a conflict; its worktree in the trash; an approval.
ALTER TABLE sessions ADD COLUMN landed_into TEXT;
ALTER TABLE sessions ADD COLUMN landed_commit TEXT;
ALTER TABLE sessions ADD COLUMN landed_head TEXT;
ALTER TABLE sessions ADD COLUMN rebase TEXT;
ALTER TABLE sessions ADD COLUMN trash TEXT;
ALTER TABLE sessions ADD COLUMN approval TEXT;
