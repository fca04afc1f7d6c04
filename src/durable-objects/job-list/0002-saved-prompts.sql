-- Prompts that the person keeps.
CREATE TABLE saved_prompts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL,
  -- Counts up: the last saved has the highest.
  saved INTEGER NOT NULL
) WITHOUT ROWID;
