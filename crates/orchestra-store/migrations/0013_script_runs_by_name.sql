-- The newest run of a script is asked for by every list, and while somebody follows one many times a second.
CREATE INDEX script_runs_by_name ON script_runs (session, script, key);
