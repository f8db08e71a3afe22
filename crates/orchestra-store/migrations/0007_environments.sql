-- Ports that sessions have for themselves. A port has one owner, so two sessions never meet on one.
CREATE TABLE ports (
    port      INTEGER PRIMARY KEY,
    session   TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    name      TEXT NOT NULL,
    leased_at INTEGER NOT NULL
) STRICT;
CREATE INDEX ports_by_session ON ports (session, name);

-- A session that was cleaned up or put away holds no port, whoever wrote that down.
CREATE TRIGGER ports_of_trashed AFTER UPDATE OF trash ON sessions WHEN NEW.trash IS NOT NULL BEGIN
    DELETE FROM ports WHERE session = NEW.id;
END;
CREATE TRIGGER ports_of_archived AFTER UPDATE OF archived_at ON sessions WHEN NEW.archived_at IS NOT NULL BEGIN
    DELETE FROM ports WHERE session = NEW.id;
END;

-- Databases of sessions. They outlive their session's worktree until somebody wants them dropped.
CREATE TABLE databases (
    session    TEXT NOT NULL REFERENCES sessions (id),
    name       TEXT NOT NULL,
    kind       TEXT NOT NULL,
    location   TEXT NOT NULL,
    state      TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (session, name),
    UNIQUE (kind, location)
) STRICT;
