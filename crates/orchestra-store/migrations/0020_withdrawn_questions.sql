-- When a question was withdrawn: nobody decided, and no agent waits for it any more. `reason` says why.
ALTER TABLE questions ADD COLUMN withdrawn_at INTEGER;
