-- The schema of Emoji Rangers Parties.
--
-- Rules that every table keeps, so that it also fits a distributed PostgreSQL: `shard` is in every domain table and
-- first in its primary key and unique indexes; a CHECK holds it against an identifier's last byte; there are no
-- sequences, triggers or functions in writes, since identifiers, times and randomness come in as parameters. What is
-- looked up without knowing a shard has a small table of its own, keyed by what is looked up.

-- The lock, the fence and the head of each shard's log. Whoever changes anything of a shard locks its row first.
CREATE TABLE shards (
    shard smallint NOT NULL,
    -- Position of the newest entry in `events`; zero when there is none.
    head bigint NOT NULL DEFAULT 0,
    -- How many journeys run, so that one small query finds the shards with work.
    journeys integer NOT NULL DEFAULT 0,
    -- Every journey's tick due at or before this moment has been played.
    journeys_ticked_until timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',
    -- The earliest deadline in `boss_turns`; null when there is none.
    next_turn_at timestamptz,
    CONSTRAINT shards_pkey PRIMARY KEY (shard),
    CONSTRAINT shards_shard_check CHECK (shard BETWEEN 0 AND 255),
    CONSTRAINT shards_journeys_check CHECK (journeys >= 0)
) WITH (fillfactor = 20); -- 256 rows, each updated on every change: room for HOT updates.

INSERT INTO shards (shard) SELECT number FROM generate_series(0, 255) AS number;

-- One dispatcher sends for a shard at a time. Every taking over raises the epoch, which fences the checkpoint.
CREATE TABLE leases (
    shard smallint NOT NULL,
    -- The node that holds the lease; null when it was given back.
    holder uuid,
    epoch bigint NOT NULL DEFAULT 0,
    -- On the database's clock.
    expires_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',
    -- Nothing at or below this position of the log is still owed to a phone.
    checkpoint bigint NOT NULL DEFAULT 0,
    CONSTRAINT leases_pkey PRIMARY KEY (shard),
    CONSTRAINT leases_shard_check CHECK (shard BETWEEN 0 AND 255)
) WITH (fillfactor = 20);

INSERT INTO leases (shard) SELECT number FROM generate_series(0, 255) AS number;

CREATE TABLE players (
    shard smallint NOT NULL,
    player_id uuid NOT NULL,
    display_name text NOT NULL,
    hero text NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT players_pkey PRIMARY KEY (shard, player_id),
    CONSTRAINT players_shard_check CHECK (shard = get_byte(uuid_send(player_id), 15))
);

-- Bearer tokens, by the SHA-256 of each: the token itself is stored nowhere.
CREATE TABLE player_tokens (
    token_hash bytea NOT NULL,
    player_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT player_tokens_pkey PRIMARY KEY (token_hash),
    CONSTRAINT player_tokens_token_hash_check CHECK (octet_length(token_hash) = 32)
);

CREATE TABLE parties (
    shard smallint NOT NULL,
    party_id uuid NOT NULL,
    name text NOT NULL,
    invite_code text NOT NULL,
    leader_id uuid NOT NULL,
    capacity smallint NOT NULL,
    -- The running adventure; null when the party is idle.
    adventure_id uuid,
    version bigint NOT NULL,
    created_at timestamptz NOT NULL,
    disbanded_at timestamptz,
    CONSTRAINT parties_pkey PRIMARY KEY (shard, party_id),
    CONSTRAINT parties_shard_check CHECK (shard = get_byte(uuid_send(party_id), 15)),
    CONSTRAINT parties_capacity_check CHECK (capacity BETWEEN 1 AND 8)
) WITH (fillfactor = 80);

-- Members carry a copy of what a party needs of its players, who live in shards of their own.
CREATE TABLE members (
    shard smallint NOT NULL,
    party_id uuid NOT NULL,
    player_id uuid NOT NULL,
    display_name text NOT NULL,
    hero text NOT NULL,
    level smallint NOT NULL,
    joined_at timestamptz NOT NULL,
    CONSTRAINT members_pkey PRIMARY KEY (shard, party_id, player_id),
    CONSTRAINT members_shard_check CHECK (shard = get_byte(uuid_send(party_id), 15)),
    CONSTRAINT members_party_fkey FOREIGN KEY (shard, party_id) REFERENCES parties (shard, party_id)
);

-- Finds a party by its invite code. Written before the party's row names the code; a code that its party does not
-- name is dead.
CREATE TABLE invite_codes (
    invite_code text NOT NULL,
    party_id uuid NOT NULL,
    CONSTRAINT invite_codes_pkey PRIMARY KEY (invite_code)
);

-- Finds a player's parties. Written before the membership; a row without one counts for nothing.
CREATE TABLE player_parties (
    player_id uuid NOT NULL,
    party_id uuid NOT NULL,
    CONSTRAINT player_parties_pkey PRIMARY KEY (player_id, party_id)
);

CREATE TABLE adventures (
    shard smallint NOT NULL,
    adventure_id uuid NOT NULL,
    party_id uuid NOT NULL,
    kind text NOT NULL,
    live boolean NOT NULL,
    -- Which hundredth of the journey interval its ticks fall on; null for a boss fight, which has `boss_turns`.
    phase smallint,
    tick integer NOT NULL,
    -- The sequence of its newest event.
    sequence integer NOT NULL,
    -- The adventure's value, encoded by GameCore (JSON with a version).
    state text NOT NULL,
    -- The value before its first input: with the inputs, all that a replay needs.
    opening text NOT NULL,
    outcome text,
    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    CONSTRAINT adventures_pkey PRIMARY KEY (shard, adventure_id),
    CONSTRAINT adventures_party_fkey FOREIGN KEY (shard, party_id) REFERENCES parties (shard, party_id),
    CONSTRAINT adventures_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15)),
    CONSTRAINT adventures_kind_check CHECK (kind IN ('journey', 'bossFight')),
    CONSTRAINT adventures_phase_check CHECK (phase BETWEEN 0 AND 99),
    CONSTRAINT adventures_ended_check CHECK (live = (ended_at IS NULL) AND live = (outcome IS NULL))
) WITH (fillfactor = 60); -- A tick rewrites `state`: room for HOT updates.

-- The journeys whose ticks fall on a phase. Static while a journey lives, so that a tick stays a HOT update.
CREATE INDEX adventures_phase_idx ON adventures (shard, phase) WHERE live AND phase IS NOT NULL;

-- Deadlines of the open turns of boss fights: small, so that what changes every turn is indexed apart.
CREATE TABLE boss_turns (
    shard smallint NOT NULL,
    adventure_id uuid NOT NULL,
    due_at timestamptz NOT NULL,
    CONSTRAINT boss_turns_pkey PRIMARY KEY (shard, adventure_id),
    CONSTRAINT boss_turns_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15)),
    CONSTRAINT boss_turns_adventure_fkey FOREIGN KEY (shard, adventure_id) REFERENCES adventures (shard, adventure_id)
);

-- The engine takes the earliest deadlines of a shard.
CREATE INDEX boss_turns_due_idx ON boss_turns (shard, due_at);

-- What moved an adventure besides its ticks, at the event sequence and tick at which it came.
CREATE TABLE adventure_inputs (
    shard smallint NOT NULL,
    adventure_id uuid NOT NULL,
    -- The adventure's sequence just before the input.
    sequence integer NOT NULL,
    tick integer NOT NULL,
    input jsonb NOT NULL,
    at timestamptz NOT NULL,
    CONSTRAINT adventure_inputs_pkey PRIMARY KEY (shard, adventure_id, sequence),
    CONSTRAINT adventure_inputs_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15)),
    CONSTRAINT adventure_inputs_adventure_fkey
        FOREIGN KEY (shard, adventure_id) REFERENCES adventures (shard, adventure_id)
);

-- The log: everything that happened in a shard, gapless by position. Entries of an adventure have a sequence; those
-- that tell the dispatcher of an activity (registered, rotated, released) have none.
CREATE TABLE events (
    shard smallint NOT NULL,
    position bigint NOT NULL,
    adventure_id uuid NOT NULL,
    sequence integer,
    tick integer NOT NULL,
    kind text NOT NULL,
    at timestamptz NOT NULL,
    -- The event as GameCore encodes it, or which activity the entry tells of.
    body jsonb NOT NULL,
    CONSTRAINT events_pkey PRIMARY KEY (shard, position),
    CONSTRAINT events_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15))
);

-- Pages of one adventure's events, and the proof that none is there twice.
CREATE UNIQUE INDEX events_sequence_idx ON events (shard, adventure_id, sequence) WHERE sequence IS NOT NULL;

CREATE TABLE activities (
    shard smallint NOT NULL,
    adventure_id uuid NOT NULL,
    activity_id uuid NOT NULL,
    player_id uuid NOT NULL,
    push_token bytea NOT NULL,
    environment text NOT NULL,
    frequent_pushes boolean NOT NULL,
    locale text,
    -- 1 and up: raised by every new token, so that a late answer for an old one cannot harm the newer.
    generation integer NOT NULL,
    state text NOT NULL,
    registered_at timestamptz NOT NULL,
    token_registered_at timestamptz NOT NULL,
    -- `timestamp` of the newest push, in seconds since 1970; zero before the first.
    last_timestamp bigint NOT NULL DEFAULT 0,
    -- Nothing at or below this position of the log is still owed to this phone.
    settled_position bigint NOT NULL,
    CONSTRAINT activities_pkey PRIMARY KEY (shard, adventure_id, activity_id),
    CONSTRAINT activities_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15)),
    CONSTRAINT activities_adventure_fkey
        FOREIGN KEY (shard, adventure_id) REFERENCES adventures (shard, adventure_id),
    CONSTRAINT activities_environment_check CHECK (environment IN ('production', 'sandbox', 'simulator')),
    -- live: pushed to; ended: `end` was accepted, or refused for good; released: ended or dismissed on the phone;
    -- dead: its token is.
    CONSTRAINT activities_state_check CHECK (state IN ('live', 'ended', 'released', 'dead'))
) WITH (fillfactor = 80);

-- What a dispatcher loads when it takes a shard over.
CREATE INDEX activities_live_idx ON activities (shard) WHERE state = 'live';

-- Answers of writes, kept with their effect, so that a request sent again is answered and not applied again.
CREATE TABLE idempotency_keys (
    shard smallint NOT NULL,
    player_id uuid NOT NULL,
    key text NOT NULL,
    -- SHA-256 of method, path and body.
    request_hash bytea NOT NULL,
    status smallint NOT NULL,
    answer text NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (shard, player_id, key)
);

-- Operators and the SHA-256 of their tokens.
CREATE TABLE operators (
    name text NOT NULL,
    role text NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    CONSTRAINT operators_pkey PRIMARY KEY (name),
    CONSTRAINT operators_role_check CHECK (role IN ('admin', 'viewer')),
    CONSTRAINT operators_token_hash_key UNIQUE (token_hash)
);
