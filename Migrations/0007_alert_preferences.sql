-- Players choose which alerts ring on each of their devices.

-- The muted categories and the quiet hours, as JSON; null if every alert rings.
ALTER TABLE devices ADD COLUMN alert_preferences text;

-- Those of the activity's device, which may be in another shard than its activities. The log announces each change to the
-- dispatcher of the shard.
ALTER TABLE activities ADD COLUMN alert_preferences text;
