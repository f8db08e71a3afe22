-- Who made a session and who asked for an operation; NULL is the user.
ALTER TABLE sessions ADD COLUMN made_by TEXT;
ALTER TABLE operations ADD COLUMN caller TEXT;
CREATE INDEX sessions_made_by ON sessions (made_by) WHERE made_by IS NOT NULL;
