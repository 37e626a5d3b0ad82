-- Ordinary alerts for devices that show no Live Activity of an adventure.

-- When a member of the adventure first had a device with an alert token, as far as is known; null before. Dispatchers follow
-- these adventures without activities, too.
ALTER TABLE adventures ADD COLUMN alerts_since timestamptz;

-- Those that are live or have just ended, and those that have been marked lately.
CREATE INDEX adventures_alerts_idx ON adventures (shard, coalesce(ended_at, 'infinity'::timestamptz), alerts_since)
    WHERE alerts_since IS NOT NULL AND details_removed_at IS NULL;

-- The ordinary alerts that were claimed for the device in the last hour, oldest first, with their adventures and the
-- sequences of their events in the same order.
ALTER TABLE devices ADD COLUMN alerted_at timestamptz[] NOT NULL DEFAULT '{}';
ALTER TABLE devices ADD COLUMN alerted_adventures uuid[] NOT NULL DEFAULT '{}';
ALTER TABLE devices ADD COLUMN alerted_sequences bigint[] NOT NULL DEFAULT '{}';
ALTER TABLE devices ADD CONSTRAINT devices_alerted_check CHECK (
    cardinality(alerted_at) = cardinality(alerted_adventures)
    AND cardinality(alerted_at) = cardinality(alerted_sequences)
);
