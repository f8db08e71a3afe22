-- Whether the first iteration begins once this run, a set-up, came to a good end.
ALTER TABLE script_runs ADD COLUMN then_iterate INTEGER NOT NULL DEFAULT 0;
