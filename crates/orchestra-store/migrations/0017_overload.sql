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
-- Where further attempts at an iteration's turn begin in its output: after this line.
CREATE TABLE attempts (
    key INTEGER PRIMARY KEY,
    iteration INTEGER NOT NULL REFERENCES iterations (key) ON DELETE CASCADE,
    after_line INTEGER NOT NULL
) STRICT;
CREATE INDEX attempts_of_iteration ON attempts (iteration);
