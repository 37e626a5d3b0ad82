-- Broadcast channels of APNs: one for each thing that many phones follow, and APNs environment.

-- In the shard of the owner's identifier, whose last byte is the shard.
CREATE TABLE channels (
    shard smallint NOT NULL,
    owner_kind text NOT NULL,
    owner_id uuid NOT NULL,
    environment text NOT NULL,
    -- What APNs stores for phones that are not connected: 0 nothing, 1 the newest broadcast. Fixed when it creates the channel.
    storage_policy smallint NOT NULL,
    state text NOT NULL,
    -- The identifier that APNs has given it; null unless APNs has the channel.
    channel_id text,
    -- When the owner needed it first.
    wanted_at timestamptz NOT NULL,
    -- When APNs created it.
    created_at timestamptz,
    -- When the owner needed it, or a broadcast was sent, last; of too many channels those that were not used longest are deleted.
    used_at timestamptz NOT NULL,
    -- The request that creates it and whose outcome is unknown: no other one is sent for a minute.
    attempted_at timestamptz,
    -- The failures in succession of requests that create or delete it, and the earliest time of the next one.
    attempts integer NOT NULL DEFAULT 0,
    retry_at timestamptz NOT NULL,
    -- The state of the owner that the newest accepted broadcast has shown, and how far the owner was then: a further stage is
    -- an alert.
    version bigint NOT NULL DEFAULT 0,
    stage integer NOT NULL DEFAULT 0,
    -- The failures in succession of broadcasts, and the earliest time of the next one.
    broadcast_failures integer NOT NULL DEFAULT 0,
    broadcast_after timestamptz NOT NULL,
    CONSTRAINT channels_pkey PRIMARY KEY (shard, owner_kind, owner_id, environment),
    CONSTRAINT channels_shard_check CHECK (shard = get_byte(uuid_send(owner_id), 15)),
    CONSTRAINT channels_owner_kind_check CHECK (owner_kind IN ('raid', 'party')),
    CONSTRAINT channels_environment_check CHECK (environment IN ('production', 'sandbox', 'simulator')),
    CONSTRAINT channels_storage_policy_check CHECK (storage_policy IN (0, 1)),
    CONSTRAINT channels_state_check CHECK (state IN ('wanted', 'created', 'live', 'ending', 'deleted')),
    CONSTRAINT channels_channel_id_check CHECK (
        CASE WHEN state IN ('created', 'live') THEN channel_id IS NOT NULL AND created_at IS NOT NULL
            WHEN state IN ('wanted', 'deleted') THEN channel_id IS NULL ELSE true END
    )
) WITH (fillfactor = 50); -- A live channel's row is updated every second: room for HOT updates.

-- Those of an environment that are not deleted.
CREATE INDEX channels_environment_idx ON channels (environment, state) WHERE state <> 'deleted';

-- Those that APNs has to create or delete.
CREATE INDEX channels_due_idx ON channels (environment, retry_at) WHERE state IN ('wanted', 'ending');

-- The dispatcher that keeps the channels of an environment, and how it found them. One row for each environment.
CREATE TABLE channel_keepers (
    environment text NOT NULL,
    -- Null before the first one.
    holder uuid,
    held_until timestamptz NOT NULL DEFAULT '-infinity',
    -- When an operator asked for a comparison with the list of APNs, and when the newest one began.
    requested_at timestamptz,
    reconciled_at timestamptz,
    -- The channels that APNs listed then, those that no row had, and those that APNs had lost.
    listed integer,
    unknown integer,
    lost integer,
    CONSTRAINT channel_keepers_pkey PRIMARY KEY (environment)
) WITH (fillfactor = 50);

INSERT INTO channel_keepers (environment) VALUES ('production'), ('sandbox'), ('simulator');
