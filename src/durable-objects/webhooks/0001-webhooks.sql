CREATE TABLE endpoints (
  id TEXT PRIMARY KEY,
  -- Which of the few places for endpoints it has: each is sent to on its own.
  place INTEGER NOT NULL UNIQUE,
  url TEXT NOT NULL,
  -- As JSON.
  events TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  secret TEXT NOT NULL,
  -- Of the last rotation.
  rotation_id TEXT,
  rotated_at INTEGER,
  old_secret TEXT,
  old_secret_until INTEGER,
  -- While every attempt fails.
  failing_since INTEGER,
  failed_at INTEGER,
  off_at INTEGER,
  off_why TEXT
) WITHOUT ROWID;

-- What somebody is told of, with the body as it is signed.
CREATE TABLE events (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL,
  taken_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX events_by_age ON events (taken_at);

CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  state TEXT NOT NULL,
  -- Of the schedule that runs now.
  tries INTEGER NOT NULL,
  next_at INTEGER,
  -- As JSON, oldest first.
  attempts TEXT NOT NULL,
  UNIQUE (event_id, endpoint_id)
);
CREATE INDEX deliveries_waiting ON deliveries (endpoint_id, next_at) WHERE next_at IS NOT NULL;
