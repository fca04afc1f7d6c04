-- What the Job was made of, and how it stands, as JSON.
CREATE TABLE job (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  origin TEXT NOT NULL,
  progress TEXT NOT NULL
);

CREATE TABLE slices (
  first_item INTEGER PRIMARY KEY,
  items INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  large INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  deaths INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  -- Of a slice that is done.
  part_bytes INTEGER,
  part_succeeded_bytes INTEGER
);

-- What the Account has yet to hear of a slice's Holds.
CREATE TABLE closings (
  first_item INTEGER PRIMARY KEY,
  attempts INTEGER NOT NULL,
  -- Null once it is durable there.
  settlement TEXT,
  forget_at INTEGER NOT NULL
);

-- What others know: the person's list, and the Model's Dispatcher.
CREATE TABLE told (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  listed_version INTEGER NOT NULL,
  entered INTEGER NOT NULL,
  -- Somebody removed it, or its days are over.
  removing INTEGER NOT NULL
);
