-- One row: all that the object knows, as JSON.
CREATE TABLE inference (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  kept TEXT NOT NULL
);
