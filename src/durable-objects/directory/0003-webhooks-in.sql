-- Whose key has this hash, for who reports a leak by its hash alone.
CREATE TABLE key_hashes (
  hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL
) WITHOUT ROWID;

-- Accounts whose keys may be older than that table. Each is read once, when a hash is not found.
CREATE TABLE accounts_to_index (
  account_id TEXT PRIMARY KEY
) WITHOUT ROWID;
INSERT INTO accounts_to_index SELECT id FROM people;

-- Webhooks that were obeyed, and what they were answered.
CREATE TABLE received_webhooks (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  body_hash TEXT NOT NULL,
  answer TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX received_webhooks_by_at ON received_webhooks (at);

-- What the App tells a person of a key that others revoked, until they put it away.
CREATE TABLE key_notices (
  id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  key_name TEXT NOT NULL,
  key_start TEXT NOT NULL,
  source TEXT NOT NULL,
  why TEXT NOT NULL,
  dismissed_at INTEGER
) WITHOUT ROWID;
CREATE INDEX key_notices_by_person ON key_notices (person_id, at) WHERE dismissed_at IS NULL;
