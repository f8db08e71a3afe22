-- The remote whose branch a session started from; null when it was the local one.
ALTER TABLE sessions ADD COLUMN base_remote TEXT;

-- What an iteration left checked out instead of the session's branch; null when all is well.
ALTER TABLE iterations ADD COLUMN off_branch TEXT;
