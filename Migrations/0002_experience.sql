-- A member's hero carries what it has learned from adventure to adventure; its level follows from that.
ALTER TABLE members ADD COLUMN experience integer;

-- What a level takes at least.
UPDATE members SET experience = 50 * level * (level - 1);

ALTER TABLE members
    ALTER COLUMN experience SET NOT NULL,
    ADD CONSTRAINT members_experience_check CHECK (experience >= 0),
    DROP COLUMN level;
