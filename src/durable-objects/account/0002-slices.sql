-- Endings of Jobs' slices, each until its Job says that it will not come back for it.
CREATE TABLE slice_endings (
  hold_id TEXT PRIMARY KEY,
  ending TEXT NOT NULL
) WITHOUT ROWID;
