-- Events that the person's Webhooks object has yet to take.
CREATE TABLE outbox (
  id TEXT PRIMARY KEY,
  event TEXT NOT NULL
) WITHOUT ROWID;

-- The id of the last event that was left there. Of a Job that ended before there were any, nobody is
-- told any more.
ALTER TABLE told ADD COLUMN announced TEXT;
UPDATE told SET announced = (
  SELECT 'evt_job_'
    || iif(progress ->> 'failure' IS NOT NULL, 'failed',
         iif(progress ->> 'cancelledAt' IS NOT NULL, 'cancelled', 'completed'))
    || '_' || (origin ->> 'id') || '_' || (progress ->> 'endedAt')
  FROM job WHERE progress ->> 'endedAt' IS NOT NULL
);
