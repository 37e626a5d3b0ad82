-- What has ended is kept for a time, and all but its outline is removed then.

-- Whoever waits for the tables' locks keeps everybody behind it waiting: better to fail, and to be tried again.
SET LOCAL lock_timeout = '5s';

-- When an adventure's events, inputs, activities and decisions were removed; null while they are there.
ALTER TABLE adventures ADD COLUMN details_removed_at timestamptz;

-- Those whose details are there, the longest over first. No tick changes a column of it.
CREATE INDEX adventures_ended_idx ON adventures (shard, ended_at) WHERE NOT live AND details_removed_at IS NULL;

-- When what a disbanded party has left elsewhere was removed; null while it is there.
ALTER TABLE parties ADD COLUMN leftovers_removed_at timestamptz;

-- The disbanded ones that have left something.
CREATE INDEX parties_disbanded_idx ON parties (shard, disbanded_at)
    WHERE disbanded_at IS NOT NULL AND leftovers_removed_at IS NULL;

-- Which players a disbanded party has left a row of.
CREATE INDEX player_parties_party_idx ON player_parties (party_id);

-- A code that was taken just now is not named by its party yet. The default is for nodes of the release before.
ALTER TABLE invite_codes ADD COLUMN reserved_at timestamptz NOT NULL DEFAULT now();
