-- Activities of raids, which the server starts on the devices that ask for them.

-- Whether the device has iOS 18, which knows channels, and its player wants them.
ALTER TABLE devices ADD COLUMN follows_raids boolean NOT NULL DEFAULT false;

-- A start of a raid's activity has the raid in started_adventures and in started_parties.
