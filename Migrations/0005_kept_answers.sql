-- Kept answers are forgotten after a day, and know the version of the party that they show, for its ETag.

-- Whoever waits for the table's lock keeps everybody behind it waiting: better to fail, and to be tried again.
SET LOCAL lock_timeout = '5s';

ALTER TABLE idempotency_keys ADD COLUMN party_version bigint;

-- Finds what has expired, shard by shard.
CREATE INDEX idempotency_keys_created_idx ON idempotency_keys (shard, created_at);
