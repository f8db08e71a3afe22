-- Tells whether two uses of a tool are the same to the last byte: a keyed hash, since a use may have a secret in it.
ALTER TABLE questions ADD COLUMN mark TEXT;
