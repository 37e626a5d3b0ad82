-- Indexes that have only the raids that are not over: those of the past stay for as long as the outlines of adventures.

-- In the homes: players and operators list these, the newest first.
CREATE INDEX raids_current_idx ON raids (starts_at, shard, raid_id) WHERE outcome IS NULL;

-- In each member: engines look for these each second.
CREATE INDEX raid_shards_open_idx ON raid_shards (shard, raid_id) WHERE NOT is_over;
