-- A player is in so many parties at most, also when many requests let the player in at once.

-- Whoever waits for the table's lock keeps everybody behind it waiting: better to fail, and to be tried again.
SET LOCAL lock_timeout = '5s';

ALTER TABLE player_parties
    -- When a request under way has claimed a place for the player in the party; nothing once it is answered. A claim
    -- counts like a membership for as long as a request may take.
    ADD COLUMN claimed_at timestamptz;
