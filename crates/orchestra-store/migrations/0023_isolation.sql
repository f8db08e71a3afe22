-- What kept the agent of an iteration within its worktree, or told that it did not stay there, as JSON.
ALTER TABLE iterations ADD COLUMN isolation TEXT;
