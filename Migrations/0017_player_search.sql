-- What operators find players by. Each index is built in this transaction: registrations, and changes of profiles and devices,
-- wait for about a second per million rows.

-- The beginning of the name, in upper or lower case. In the order of bytes, so that names that begin alike are adjacent whatever
-- the database's collation is.
CREATE INDEX players_name_idx ON players (lower(display_name) COLLATE "C", player_id);

-- An operator has a device's identifier and nothing more.
CREATE INDEX devices_device_idx ON devices (device_id);
