-- What the agent of a session may do: the policy, and a JSON list of rules of its own.
ALTER TABLE sessions ADD COLUMN permissions TEXT;
ALTER TABLE sessions ADD COLUMN rules TEXT;

-- What a user is asked before an agent may use a tool. `request` is the agent's name for it, if the agent waits.
CREATE TABLE questions (
    key INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    iteration INTEGER NOT NULL,
    number INTEGER NOT NULL,
    request TEXT,
    tool_use TEXT NOT NULL,
    title TEXT,
    asked_at INTEGER NOT NULL,
    decision TEXT,
    reason TEXT,
    decided_at INTEGER,
    used_at INTEGER,
    UNIQUE (session, iteration, number)
) STRICT;
