-- Events that the person's Webhooks object has yet to take.
CREATE TABLE outbox (
  id TEXT PRIMARY KEY,
  event TEXT NOT NULL
) WITHOUT ROWID;

-- What was not spent after the last Grant, and whether it was said that little of it is left.
CREATE TABLE low_mark (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  base INTEGER NOT NULL,
  is_low INTEGER NOT NULL
);
