-- Why a run could not be run, or was ended: code, message and hint as JSON.
ALTER TABLE script_runs ADD COLUMN problem TEXT;
