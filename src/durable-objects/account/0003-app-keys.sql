-- The App's own keys, each good for minutes and for as long as its session.
CREATE TABLE app_keys (
  hash TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
