-- One that leaked is kept until it expires, to say when and why it was revoked.
ALTER TABLE app_keys ADD COLUMN revoked_at INTEGER;
ALTER TABLE app_keys ADD COLUMN revoked_why TEXT;
