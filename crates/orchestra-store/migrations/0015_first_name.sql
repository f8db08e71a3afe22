-- The name a renamed session was made with: its containers and addresses are called after that.
ALTER TABLE sessions ADD COLUMN first_name TEXT;
