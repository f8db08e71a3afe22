CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE repositories (
    id         INTEGER PRIMARY KEY,
    root       TEXT NOT NULL UNIQUE,
    common_dir TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE sessions (
    id             TEXT PRIMARY KEY,
    repository     INTEGER NOT NULL REFERENCES repositories (id),
    name           TEXT NOT NULL,
    prompt         TEXT NOT NULL,
    notes          TEXT,
    constraints    TEXT,
    issue          TEXT,
    base_branch    TEXT NOT NULL,
    base_commit    TEXT NOT NULL,
    branch         TEXT NOT NULL,
    branch_adopted INTEGER NOT NULL,
    worktree       TEXT NOT NULL UNIQUE,
    worktree_ready INTEGER NOT NULL,
    agent          TEXT NOT NULL,
    model          TEXT,
    script         TEXT,
    timeout_ms     INTEGER,
    thread         TEXT,
    created_at     INTEGER NOT NULL,
    last_run       INTEGER,
    archived_at    INTEGER,
    landed_at      INTEGER,
    UNIQUE (repository, name),
    UNIQUE (repository, branch)
) STRICT;

-- What git last said about a session. A cache: it can be dropped and asked again.
CREATE TABLE git_facts (
    session    TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    head       TEXT,
    ahead      INTEGER,
    behind     INTEGER,
    dirty      INTEGER,
    checked_at INTEGER NOT NULL
) STRICT;

CREATE TABLE iterations (
    key                INTEGER PRIMARY KEY,
    session            TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    number             INTEGER NOT NULL,
    input              TEXT,
    commit_changes     INTEGER NOT NULL,
    progress           TEXT NOT NULL,
    outcome            TEXT,
    message            TEXT,
    summary            TEXT,
    queued_at          INTEGER NOT NULL,
    started_at         INTEGER,
    finished_at        INTEGER,
    head_before        TEXT,
    head_after         TEXT,
    thread             TEXT,
    model              TEXT,
    usage              TEXT,
    cost               TEXT,
    commits            TEXT NOT NULL DEFAULT '[]',
    files_changed      INTEGER,
    script_passed      INTEGER,
    runner             TEXT,
    UNIQUE (session, number)
) STRICT;

CREATE INDEX iterations_unfinished ON iterations (queued_at) WHERE outcome IS NULL;

CREATE TABLE transcript (
    session   TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    position  INTEGER NOT NULL,
    iteration INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    line      INTEGER,
    event     TEXT NOT NULL,
    UNIQUE (session, position)
) STRICT;

CREATE TABLE script_runs (
    key         INTEGER PRIMARY KEY,
    session     TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    iteration   INTEGER,
    script      TEXT NOT NULL,
    command     TEXT NOT NULL,
    started_at  INTEGER NOT NULL,
    finished_at INTEGER,
    result      TEXT,
    runner      TEXT
) STRICT;

CREATE INDEX script_runs_of_session ON script_runs (session, key);
CREATE INDEX script_runs_unfinished ON script_runs (key) WHERE result IS NULL;

CREATE TABLE events (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    session TEXT,
    type    TEXT NOT NULL,
    body    TEXT NOT NULL
) STRICT;

CREATE INDEX events_of_session ON events (session, seq);

-- An effect outside the database: written before it is done, closed after. Recovery asks the world about open ones.
CREATE TABLE intents (
    key        INTEGER PRIMARY KEY,
    session    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    effect     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    closed_at  INTEGER,
    result     TEXT
) STRICT;

CREATE INDEX intents_open ON intents (session) WHERE closed_at IS NULL;

-- What faces ask of a runner.
CREATE TABLE controls (
    key        INTEGER PRIMARY KEY,
    session    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    target     TEXT NOT NULL,
    control    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    taken_at   INTEGER
) STRICT;

CREATE INDEX controls_open ON controls (target) WHERE taken_at IS NULL;

-- Whoever inserts the row of an event shows its notification.
CREATE TABLE notifications (
    event      INTEGER PRIMARY KEY,
    claimed_at INTEGER NOT NULL
) STRICT;
