-- What each Account last said of itself.
CREATE TABLE roll_ups (
  person_id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  month TEXT NOT NULL,
  spent_this_month INTEGER NOT NULL,
  granted INTEGER NOT NULL,
  available INTEGER NOT NULL,
  last_used_at INTEGER
) WITHOUT ROWID;

-- Approvals whose Grant is not known to be given.
CREATE TABLE grants_due (
  request_id TEXT PRIMARY KEY,
  decided_at INTEGER NOT NULL
) WITHOUT ROWID;
-- Until now the row in the audit log came after the Grant.
INSERT INTO grants_due
  SELECT id, decided_at FROM token_requests
  WHERE state = 'approved'
    AND NOT EXISTS (SELECT 1 FROM audit WHERE audit.id = 'request.approve ' || token_requests.id);
