-- A member's hero carries what it has learned from adventure to adventure; its level follows from that. Nodes of the
-- release before cannot work with this schema, nor read what this release stores: stop them first.

-- Whoever waits for the tables' locks keeps everybody behind it waiting: better to fail, and to be tried again.
SET LOCAL lock_timeout = '5s';

ALTER TABLE members ADD COLUMN experience integer;

-- What a level takes at least.
UPDATE members SET experience = 50 * level * (level - 1);

ALTER TABLE members
    ALTER COLUMN experience SET NOT NULL,
    ADD CONSTRAINT members_experience_check CHECK (experience >= 0),
    DROP COLUMN level;

COMMENT ON COLUMN adventures.state IS
    'The adventure as GameCore encodes it: lines of words and numbers, a version first; JSON in rows of version 1.';
COMMENT ON COLUMN adventures.opening IS 'The adventure before its first input, in the form of state.';
