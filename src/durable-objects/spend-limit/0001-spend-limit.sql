CREATE TABLE settings (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  -- Null until an Admin sets one: the configured one holds.
  limit_usd REAL,
  paused_by_hand INTEGER NOT NULL,
  reached_month TEXT,
  reached_limit_usd REAL
);

CREATE TABLE models (
  model TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  containers INTEGER NOT NULL,
  usd_per_hour REAL NOT NULL,
  wind_down_usd REAL NOT NULL,
  -- The verdict that its Inference object knows, as JSON.
  told TEXT NOT NULL
) WITHOUT ROWID;

-- Whole days (UTC); a figure only grows.
CREATE TABLE days (
  day TEXT NOT NULL,
  model TEXT NOT NULL,
  container_seconds REAL NOT NULL,
  usd REAL NOT NULL,
  estimated INTEGER NOT NULL,
  PRIMARY KEY (day, model)
) WITHOUT ROWID;
