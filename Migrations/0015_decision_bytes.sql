-- What was decided for activities becomes bytes, a third of the text that it was; what was decided before is told no more.

-- Whoever waits for the table's lock keeps everybody behind it waiting: better to fail, and to be tried again.
SET LOCAL lock_timeout = '5s';

-- The newest 32, some 300 bytes, as PushCadence encodes them; an empty value is a log without entries.
ALTER TABLE activity_decisions ADD COLUMN decisions bytea NOT NULL DEFAULT '';

-- Nodes of the release before still write their text, which nobody reads; a later migration removes it.
ALTER TABLE activity_decisions ALTER COLUMN entries SET DEFAULT '';
