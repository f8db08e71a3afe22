-- When the agent was told what was decided. Without it, its next turn begins with that.
ALTER TABLE questions ADD COLUMN told_at INTEGER;
