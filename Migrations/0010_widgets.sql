-- Pushes to the widgets of devices, which show the hero's level and the leaderboard.

-- The token of the app's widgets; null once it is dead, or belongs to a device that registered it later.
ALTER TABLE devices ADD COLUMN widget_token bytea;
-- When the widgets are to be reloaded; null if nothing has changed since the last push.
ALTER TABLE devices ADD COLUMN widget_due_at timestamptz;
-- The earliest time of the next push.
ALTER TABLE devices ADD COLUMN widget_free_at timestamptz;

CREATE INDEX devices_widget_token_idx ON devices (widget_token) WHERE widget_token IS NOT NULL;

-- Has only the devices whose widgets are to be reloaded.
CREATE INDEX devices_widget_due_idx ON devices (shard, environment, widget_due_at) WHERE widget_due_at IS NOT NULL;
