-- What a session's directory has checked out instead of its branch; null when all is well.
ALTER TABLE git_facts ADD COLUMN other_checkout TEXT;
