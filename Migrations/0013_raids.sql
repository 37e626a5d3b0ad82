-- Raids: one boss against every party that takes part.
--
-- The shard of a raid's identifier is its home. It has the raid, the shards with parties in it (its members), what it
-- decided, and its history. Each member writes a row for each round, and the home adds complete rounds up: no row is
-- changed by more than one party at a time, and none more than a few times a second.

-- Only what is allowed grows, so the rows that are there need no check.
ALTER TABLE adventures DROP CONSTRAINT adventures_kind_check;
ALTER TABLE adventures ADD CONSTRAINT adventures_kind_check CHECK (kind IN ('journey', 'bossFight', 'raid')) NOT VALID;
ALTER TABLE log DROP CONSTRAINT log_outage_check;
ALTER TABLE log ADD CONSTRAINT log_outage_check CHECK ((kind IN ('outage', 'raid')) = (adventure_id IS NULL)) NOT VALID;

-- The decisions about raids that a shard has taken, in order: inputs to all of its fights in the raid.
CREATE INDEX log_raid_idx ON log (shard, at) WHERE kind = 'raid';

-- The raid of a raid fight, and the damage that the party dealt in it, as of its end; null while it is live.
ALTER TABLE adventures ADD COLUMN raid_id uuid;
ALTER TABLE adventures ADD COLUMN raid_dealt bigint;
CREATE INDEX adventures_raid_idx ON adventures (shard, raid_id, party_id) WHERE raid_id IS NOT NULL;

-- The number of live raid fights.
ALTER TABLE shards ADD COLUMN raids integer NOT NULL DEFAULT 0;
-- When an engine writes the next rows of rounds: the earliest end of a round that has none. Null without raids.
ALTER TABLE shards ADD COLUMN raid_due_at timestamptz;
ALTER TABLE shards ADD CONSTRAINT shards_raids_check CHECK (raids >= 0);

-- In the home of each raid.
CREATE TABLE raids (
    shard smallint NOT NULL,
    raid_id uuid NOT NULL,
    boss text NOT NULL,
    -- The health of the boss at the beginning.
    health bigint NOT NULL,
    -- The regions in which the boss rages.
    regions text[] NOT NULL,
    starts_at timestamptz NOT NULL,
    -- When the boss escapes.
    ends_at timestamptz NOT NULL,
    -- The damage of all rounds that are added up, the phase of the boss and the next round.
    dealt bigint NOT NULL DEFAULT 0,
    phase integer NOT NULL DEFAULT 1,
    next_round integer NOT NULL DEFAULT 0,
    -- The fights of the newest round.
    parties integer NOT NULL DEFAULT 0,
    -- The blow of the greatest damage, as GameCore encodes it.
    biggest_blow text,
    -- The newest decision, as GameCore encodes it; null before the first one.
    decision text,
    -- The members whose rows of the next round are missing for long.
    waiting_for smallint[] NOT NULL DEFAULT '{}',
    -- defeated, escaped or stopped; null before the end.
    outcome text,
    ended_at timestamptz,
    -- Whether all members have taken all decisions, after the end.
    is_settled boolean NOT NULL DEFAULT false,
    CONSTRAINT raids_pkey PRIMARY KEY (shard, raid_id),
    CONSTRAINT raids_shard_check CHECK (shard = get_byte(uuid_send(raid_id), 15)),
    CONSTRAINT raids_health_check CHECK (health > 0 AND dealt BETWEEN 0 AND health),
    CONSTRAINT raids_moments_check CHECK (starts_at < ends_at),
    CONSTRAINT raids_outcome_check CHECK (
        CASE WHEN outcome IS NULL THEN ended_at IS NULL AND NOT is_settled
            ELSE outcome IN ('defeated', 'escaped', 'stopped') AND ended_at IS NOT NULL AND decision IS NOT NULL END
    )
) WITH (fillfactor = 20); -- Updated every second: room for HOT updates.

-- Those that the workers look after.
CREATE INDEX raids_open_idx ON raids (shard, raid_id) WHERE NOT is_settled;

-- The newest ones, whatever their shards.
CREATE INDEX raids_starts_idx ON raids (starts_at, shard, raid_id);

-- In the home: the shards with parties in the raid, each with its first round.
CREATE TABLE raid_members (
    shard smallint NOT NULL,
    raid_id uuid NOT NULL,
    member smallint NOT NULL,
    first_round integer NOT NULL,
    CONSTRAINT raid_members_pkey PRIMARY KEY (shard, raid_id, member),
    CONSTRAINT raid_members_shard_check CHECK (shard = get_byte(uuid_send(raid_id), 15)),
    CONSTRAINT raid_members_member_check CHECK (member BETWEEN 0 AND 255)
);

-- In the home: what it decided, which each member takes into its log in this order.
CREATE TABLE raid_decisions (
    shard smallint NOT NULL,
    raid_id uuid NOT NULL,
    -- 1 and up, without gaps.
    number integer NOT NULL,
    -- As GameCore encodes it.
    decision text NOT NULL,
    CONSTRAINT raid_decisions_pkey PRIMARY KEY (shard, raid_id, number),
    CONSTRAINT raid_decisions_shard_check CHECK (shard = get_byte(uuid_send(raid_id), 15))
);

-- In the home: the sums of the rounds that are added up.
CREATE TABLE raid_history (
    shard smallint NOT NULL,
    raid_id uuid NOT NULL,
    round integer NOT NULL,
    damage bigint NOT NULL,
    parties integer NOT NULL,
    health_left bigint NOT NULL,
    phase integer NOT NULL,
    biggest_blow text,
    CONSTRAINT raid_history_pkey PRIMARY KEY (shard, raid_id, round),
    CONSTRAINT raid_history_shard_check CHECK (shard = get_byte(uuid_send(raid_id), 15))
);

-- In each member: a raid in which parties of the shard take part.
CREATE TABLE raid_shards (
    shard smallint NOT NULL,
    raid_id uuid NOT NULL,
    boss text NOT NULL,
    health bigint NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    first_round integer NOT NULL,
    -- The rounds before it have their rows.
    next_round integer NOT NULL,
    -- The newest decision that the shard has taken, and its number; null and zero before the first one.
    delivered integer NOT NULL,
    decision text,
    -- The home needs the blows of the rounds from this one on; null if it does not.
    blows_from integer,
    -- When the standings were written last.
    standings_at timestamptz,
    -- Whether all fights have ended and the last standings are written.
    is_over boolean NOT NULL DEFAULT false,
    CONSTRAINT raid_shards_pkey PRIMARY KEY (shard, raid_id),
    CONSTRAINT raid_shards_shard_check CHECK (shard BETWEEN 0 AND 255)
) WITH (fillfactor = 50); -- Updated every second: room for HOT updates.

-- In each member: what its parties did in each round. Removed once the home has added it up.
CREATE TABLE raid_rounds (
    shard smallint NOT NULL,
    raid_id uuid NOT NULL,
    round integer NOT NULL,
    damage bigint NOT NULL,
    fights integer NOT NULL,
    -- As GameCore encodes them; all blows only if they are listed.
    biggest_blow text,
    blows text,
    CONSTRAINT raid_rounds_pkey PRIMARY KEY (shard, raid_id, round),
    CONSTRAINT raid_rounds_shard_check CHECK (shard BETWEEN 0 AND 255)
);

-- In each member: the damage of each of its parties, ascending, with the parties in the same order. Written every minute,
-- and at the end of the raid.
CREATE TABLE raid_standings (
    shard smallint NOT NULL,
    raid_id uuid NOT NULL,
    dealt bigint[] NOT NULL,
    parties uuid[] NOT NULL,
    CONSTRAINT raid_standings_pkey PRIMARY KEY (shard, raid_id),
    CONSTRAINT raid_standings_shard_check CHECK (shard BETWEEN 0 AND 255),
    CONSTRAINT raid_standings_dealt_check CHECK (cardinality(dealt) = cardinality(parties))
);
