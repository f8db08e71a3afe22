-- An operation that was cut off, finished afterwards, and of which whoever asked for it has not heard.
ALTER TABLE operations ADD COLUMN unheard INTEGER NOT NULL DEFAULT 0;
