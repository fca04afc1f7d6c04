-- Has its one row while the person is disabled.
CREATE TABLE silence (
  one INTEGER PRIMARY KEY CHECK (one = 1)
);
