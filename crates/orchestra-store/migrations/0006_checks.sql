-- The commit whose files a script ran on, so that a pass can be told from one of earlier files.
ALTER TABLE script_runs ADD COLUMN commit_id TEXT;

-- Commands of repositories' own settings files that the user allowed to run, word for word.
CREATE TABLE allowed_commands (
    repository INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    command    TEXT NOT NULL,
    allowed_at INTEGER NOT NULL,
    PRIMARY KEY (repository, name, command)
) STRICT;
