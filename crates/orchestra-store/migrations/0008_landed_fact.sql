-- Whether the branch that a session landed in still has its work, and where that branch was when somebody looked.
ALTER TABLE git_facts ADD COLUMN landed TEXT;
