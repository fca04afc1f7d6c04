-- Jobs that have something to do, in the order of their turns.
CREATE TABLE jobs (
  job_id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL,
  -- What it waits for at this Model, as it was last told; null for nothing.
  told TEXT
) WITHOUT ROWID;

-- Turns that are out. Leases are in memory: whoever starts again gives each a new one.
CREATE TABLE tickets (
  id TEXT PRIMARY KEY,
  job_id TEXT NOT NULL,
  person_id TEXT NOT NULL,
  begun_at INTEGER NOT NULL
) WITHOUT ROWID;
