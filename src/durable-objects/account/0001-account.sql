CREATE TABLE profile (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  profile TEXT NOT NULL
);

-- The last commit. `block` is what it set aside; the spent tokens stand in the grants.
CREATE TABLE ledger (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  at INTEGER NOT NULL,
  block INTEGER NOT NULL,
  holds TEXT NOT NULL,
  unreported_requests INTEGER NOT NULL,
  unreported_tokens INTEGER NOT NULL,
  unclaimed_tokens INTEGER NOT NULL,
  overrun_tokens INTEGER NOT NULL,
  rate REAL NOT NULL
);

CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  tokens INTEGER NOT NULL,
  note TEXT NOT NULL,
  at INTEGER NOT NULL,
  expires_at INTEGER,
  used INTEGER NOT NULL,
  lapsed INTEGER NOT NULL
) WITHOUT ROWID;

-- One row a commit: the requests that it ended, so that a repeated settlement changes nothing.
CREATE TABLE endings (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  endings TEXT NOT NULL
);

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  start TEXT NOT NULL,
  scope TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  monthly_token_limit INTEGER,
  last_used_at INTEGER,
  revoked_at INTEGER,
  revoked_why TEXT
) WITHOUT ROWID;

CREATE TABLE usage (
  day TEXT NOT NULL,
  model TEXT NOT NULL,
  key_id TEXT NOT NULL,
  requests INTEGER NOT NULL,
  prompt_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  PRIMARY KEY (day, model, key_id)
) WITHOUT ROWID;
