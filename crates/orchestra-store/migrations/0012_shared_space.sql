-- Whether it was known what files of a worktree share without a link. What was counted before was not asked for that.
ALTER TABLE disk_use ADD COLUMN is_sharing_known INTEGER NOT NULL DEFAULT 0;
