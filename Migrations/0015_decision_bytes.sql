-- What was decided for activities becomes bytes: a third of the text that it was. What was decided before is not kept: it
-- tells of the last minutes, and nothing but `rangersctl activity explain` and a player's export reads it.

-- Whoever waits for the table's lock keeps everybody behind it waiting: better to fail, and to be tried again.
SET LOCAL lock_timeout = '5s';

ALTER TABLE activity_decisions DROP COLUMN entries;

-- The newest 32, some 300 bytes, as PushCadence encodes them; an empty value is a log without entries.
ALTER TABLE activity_decisions ADD COLUMN entries bytea NOT NULL DEFAULT '';
