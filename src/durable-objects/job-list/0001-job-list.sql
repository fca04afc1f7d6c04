CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  -- Submitted as one of OpenAI's batches.
  batch INTEGER NOT NULL,
  record TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX jobs_by_age ON jobs (created_at, id);
CREATE INDEX jobs_unended ON jobs (id) WHERE ended = 0;

-- What Jobs have yet to hear. A word that comes again gets another number: an answer to the one before
-- is none to it.
CREATE TABLE words (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id TEXT NOT NULL,
  word TEXT NOT NULL,
  UNIQUE (job_id, word)
);

CREATE TABLE files (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  removed_at INTEGER NOT NULL,
  -- Where its bytes are in the store.
  store_key TEXT NOT NULL,
  file TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX files_by_age ON files (created_at, id);
CREATE INDEX files_by_removal ON files (removed_at);
