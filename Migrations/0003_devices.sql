-- Players have devices, each with tokens, settings and budgets of its own.

-- The phones and tablets of players. A device keeps the starts by push of the last day when its token changes, since the
-- budget is the device's and not the token's.
CREATE TABLE devices (
    shard smallint NOT NULL,
    player_id uuid NOT NULL,
    -- Chosen by the app; unique among those of the player.
    device_id uuid NOT NULL,
    environment text NOT NULL,
    locale text,
    app_build text,
    live_activities_enabled boolean NOT NULL,
    frequent_pushes boolean NOT NULL,
    -- Null once it is dead, or belongs to a device that registered it later.
    push_to_start_token bytea,
    alert_token bytea,
    -- Raised by every change: who claims a start names the version that was read.
    version bigint NOT NULL,
    -- The starts of the last day, oldest first, and their adventures and parties in the same order.
    started_at timestamptz[] NOT NULL,
    started_adventures uuid[] NOT NULL,
    started_parties uuid[] NOT NULL,
    registered_at timestamptz NOT NULL,
    -- When the app described the device last, to a day.
    updated_at timestamptz NOT NULL,
    CONSTRAINT devices_pkey PRIMARY KEY (shard, player_id, device_id),
    CONSTRAINT devices_shard_check CHECK (shard = get_byte(uuid_send(player_id), 15)),
    CONSTRAINT devices_environment_check CHECK (environment IN ('production', 'sandbox', 'simulator')),
    CONSTRAINT devices_started_check CHECK (
        cardinality(started_at) = cardinality(started_adventures)
        AND cardinality(started_at) = cardinality(started_parties)
    )
) WITH (fillfactor = 80);

-- A token belongs to one device: the one that registered it last.
CREATE INDEX devices_push_to_start_token_idx ON devices (push_to_start_token) WHERE push_to_start_token IS NOT NULL;
CREATE INDEX devices_alert_token_idx ON devices (alert_token) WHERE alert_token IS NOT NULL;

-- Devices whose apps have not described them for long.
CREATE INDEX devices_updated_idx ON devices (shard, updated_at);

-- Before, a player had one push-to-start token: that of a device with the player's own identifier, until its app registers
-- the device. The parties of its starts are not known, so each counts as another one.
INSERT INTO devices
SELECT get_byte(uuid_send(player_id), 15), player_id, player_id, environment, NULL, NULL, true, frequent_pushes, push_token, NULL,
    version, started_at, started_adventures, started_adventures, now(), now()
FROM push_to_start;
DROP TABLE push_to_start;

-- The device that shows an activity. Null for an activity that an older version registered: the device has the player's
-- own identifier then.
ALTER TABLE activities ADD COLUMN device_id uuid;

-- When a scheduled activity starts or has started on the device; null for one that had started before its registration.
ALTER TABLE activities ADD COLUMN starts_at timestamptz;
