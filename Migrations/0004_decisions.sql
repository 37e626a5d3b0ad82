-- What was decided for each activity lately, and why: `rangersctl activity explain` shows it, and nothing else reads it.
--
-- Apart from `activities`, whose rows stay small that way. No foreign key, so that this can never stand in the way of
-- what is written with it: what was sent, and how far a log is settled.
CREATE TABLE activity_decisions (
    shard smallint NOT NULL,
    adventure_id uuid NOT NULL,
    activity_id uuid NOT NULL,
    -- The newest 32, about 1 KiB, as PushCadence encodes them: short enough to stay in the row.
    entries text NOT NULL,
    CONSTRAINT activity_decisions_pkey PRIMARY KEY (shard, adventure_id, activity_id),
    CONSTRAINT activity_decisions_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15))
) WITH (fillfactor = 50); -- Each row is rewritten again and again, and no index knows `entries`: room for HOT updates.

-- Somebody who asks for support has an activity's identifier and nothing more.
CREATE INDEX activities_activity_idx ON activities (activity_id);
