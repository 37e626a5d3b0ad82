-- The APNs environments that each dispatcher sends to: the API tells an app whether its activity can get pushes.
ALTER TABLE dispatchers ADD COLUMN environments text[] NOT NULL DEFAULT '{}';
