-- Until when the address may be used for the first sign-in; null once it was.
ALTER TABLE people ADD COLUMN invited_until INTEGER;
ALTER TABLE people ADD COLUMN last_signed_in_at INTEGER;
-- Who was added before there was a sign-in has the 14 days that everybody has.
UPDATE people SET invited_until = created_at + 14 * 86400000;

-- Who a person is at the OpenID provider: bound at the first sign-in, for good.
CREATE TABLE subjects (
  issuer TEXT NOT NULL,
  sub TEXT NOT NULL,
  person_id TEXT NOT NULL UNIQUE,
  bound_at INTEGER NOT NULL,
  -- The hash of the session that began then: its sign-in, repeated, is still the first.
  first_session TEXT NOT NULL,
  PRIMARY KEY (issuer, sub)
) WITHOUT ROWID;

CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  person_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_by_person ON sessions (person_id);

CREATE TABLE token_requests (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  person_id TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  reason TEXT NOT NULL,
  state TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by TEXT,
  granted INTEGER,
  note TEXT NOT NULL
);
CREATE UNIQUE INDEX one_open_request ON token_requests (person_id) WHERE state = 'open';
-- Each ends in seq, the rowid: a page is read in its order from where the last one ended.
CREATE INDEX token_requests_by_person ON token_requests (person_id);
CREATE INDEX token_requests_by_state ON token_requests (state);

CREATE INDEX audit_by_who ON audit (who);
CREATE INDEX audit_by_whom ON audit (whom);
CREATE INDEX audit_by_what ON audit (what);
