-- A server is a script that stays. It runs beside everything else in its session, and says nothing about the work.
ALTER TABLE script_runs ADD COLUMN is_server INTEGER NOT NULL DEFAULT 0;
ALTER TABLE script_runs ADD COLUMN url TEXT;
ALTER TABLE script_runs ADD COLUMN port INTEGER;
ALTER TABLE script_runs ADD COLUMN ready_at INTEGER;
ALTER TABLE script_runs ADD COLUMN late_at INTEGER;
CREATE INDEX server_runs ON script_runs (session, script, key) WHERE is_server = 1;
