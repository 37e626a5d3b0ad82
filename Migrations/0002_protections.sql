-- What keeps one player, phone, shard or failover from holding up the others.

-- When the phone's budget of pushes at priority 10 is full again, on the database's clock: the whole state of the budget.
-- Null for a full one. Stored with the results of pushes, so that a node that takes over spends no budget twice.
ALTER TABLE activities ADD COLUMN budget_full_at timestamptz;

-- The party that a stored response shows with the names of its members; null if it shows none. The erasure of a player
-- finds the responses by it. Responses that a node of an older version stores meanwhile have none, and expire in a day.
ALTER TABLE idempotency_keys ADD COLUMN party_id uuid;
UPDATE idempotency_keys SET party_id = (body::jsonb ->> 'partyID')::uuid WHERE party_version IS NOT NULL;
CREATE INDEX idempotency_keys_party_idx ON idempotency_keys (shard, party_id, player_id, key)
    WHERE party_id IS NOT NULL;

-- When an erasure was last tried; null if it was not tried again after its request. Failing erasures do not hold up others.
ALTER TABLE erasures ADD COLUMN attempted_at timestamptz;

-- When it was noticed that the player is no member any more; null for a party that the player may be in. The row stays
-- for exports of what the player did there, and for erasures: a stored response shows a former member for a day.
ALTER TABLE player_parties ADD COLUMN left_at timestamptz;

-- The parties that a player may be in, and those left lately.
CREATE INDEX player_parties_left_idx ON player_parties (shard, player_id, left_at);

-- Exports read a party's adventures in pages.
DROP INDEX adventures_party_idx;
CREATE INDEX adventures_party_idx ON adventures (shard, party_id, adventure_id);

-- How much of each daily quota a player has used, in the player's shard.
CREATE TABLE quotas (
    shard smallint NOT NULL,
    -- UTC, by the database's clock: days since 1970.
    day integer NOT NULL,
    player_id uuid NOT NULL,
    -- What is counted: party, adventure, device, activity.
    kind text NOT NULL,
    used integer NOT NULL,
    CONSTRAINT quotas_pkey PRIMARY KEY (shard, day, player_id, kind),
    CONSTRAINT quotas_shard_check CHECK (shard = get_byte(uuid_send(player_id), 15)),
    CONSTRAINT quotas_used_check CHECK (used >= 0)
) WITH (fillfactor = 80);

-- What is removed some time after its details: outlines of adventures and of disbanded parties, and the parties that players
-- left.
CREATE INDEX adventures_outline_idx ON adventures (shard, ended_at) WHERE details_removed_at IS NOT NULL;
CREATE INDEX parties_outline_idx ON parties (shard, disbanded_at) WHERE leftovers_removed_at IS NOT NULL;
CREATE INDEX player_parties_old_idx ON player_parties (shard, left_at) WHERE left_at IS NOT NULL;

-- The fights of a party that is removed.
CREATE INDEX campaign_fights_party_idx ON campaign_fights (shard, party_id);

-- With the idempotency key, decides the shard of a party that the player creates: the shard cannot be chosen, since the
-- player does not know it. The default is for players of earlier versions, each of whom gets another one.
ALTER TABLE players ADD COLUMN shard_secret bytea NOT NULL DEFAULT uuid_send(gen_random_uuid());

-- The live activity that has a token: a token belongs to one activity. Also finds what an operator would push past.
CREATE INDEX activities_token_idx ON activities (push_token) WHERE state = 'live';

-- Whether a dispatcher ended after it had stored everything that it had sent: its leases count as released. Otherwise the
-- next holders of its leases assume that it sent what it may have sent.
ALTER TABLE dispatchers ADD COLUMN has_released boolean NOT NULL DEFAULT false;

-- What the database has lost of the shard after a node had read it, in a failover to a standby that lacked commits: log
-- entries and microseconds of its games, at least; the largest loss of a day, and when one was found last. Operators see
-- it, and nothing else reads it.
ALTER TABLE leases ADD COLUMN lost_entries bigint, ADD COLUMN lost_time bigint, ADD COLUMN lost_at timestamptz;
