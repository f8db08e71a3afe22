-- Until when an iteration waits for its agent's provider, and which retry comes then, as JSON.
ALTER TABLE iterations ADD COLUMN parked TEXT;
-- Agents whose provider is overloaded: no turn of theirs is started before that time.
CREATE TABLE agent_pauses (
    agent TEXT PRIMARY KEY,
    until INTEGER NOT NULL,
    since INTEGER NOT NULL,
    strikes INTEGER NOT NULL,
    why TEXT NOT NULL
) STRICT;
