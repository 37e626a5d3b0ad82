-- What devices have shown of the pushes that APNs accepted.

-- What a device has reported about each activity that it shows: `rangersctl activity explain` tells with it which pushes
-- were shown, and nothing else reads it.
--
-- Apart from `activities` and `activity_decisions`, which dispatchers write: devices write this one, without the lock of
-- the shard. No foreign key, so that it never stands in the way of what dispatchers write.
CREATE TABLE activity_receipts (
    shard smallint NOT NULL,
    adventure_id uuid NOT NULL,
    activity_id uuid NOT NULL,
    -- A few hundred bytes, however many pushes and reports there were, as GameLog encodes them.
    receipts bytea NOT NULL,
    -- Raised by every change: who writes names the version that was read.
    version integer NOT NULL,
    -- The pushes up to this moment are counted in the metrics, whether they were shown or not.
    judged_through timestamptz NOT NULL,
    CONSTRAINT activity_receipts_pkey PRIMARY KEY (shard, adventure_id, activity_id),
    CONSTRAINT activity_receipts_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15)),
    CONSTRAINT activity_receipts_version_check CHECK (version > 0)
) WITH (fillfactor = 50); -- Each row is rewritten again and again, and no index knows what changes: room for HOT updates.
