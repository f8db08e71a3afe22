-- Writes that came with a key, and what was answered.
CREATE TABLE requests (
    key TEXT NOT NULL PRIMARY KEY,
    print TEXT NOT NULL,
    server TEXT NOT NULL,
    status INTEGER,
    answer TEXT,
    at INTEGER NOT NULL
) STRICT;
