-- How the agent of a session is run: what it wants beyond the settings, as JSON.
ALTER TABLE sessions ADD COLUMN runtime TEXT;
