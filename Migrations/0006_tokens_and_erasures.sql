-- Players exchange their tokens and have themselves erased.

-- Whoever waits for the tables' locks keeps everybody behind it waiting: better to fail, and to be tried again.
SET LOCAL lock_timeout = '5s';

ALTER TABLE player_tokens
    -- Given out in exchange for another and not used yet: its first use ends all others of the player. Until then both
    -- are valid, since the answer that brings it may be lost.
    ADD COLUMN is_fresh boolean NOT NULL DEFAULT false;

-- A token that ends the others, and a player who is erased.
CREATE INDEX player_tokens_player_idx ON player_tokens (player_id);

-- Players who have asked to be erased, and of whom something may still be stored. Looked up by nobody but whoever
-- finishes what a crash has interrupted.
CREATE TABLE erasures (
    player_id uuid NOT NULL,
    asked_at timestamptz NOT NULL,
    CONSTRAINT erasures_pkey PRIMARY KEY (player_id)
);

-- A player's activities in a shard, whatever became of them: erased, and exported.
CREATE INDEX activities_player_idx ON activities (shard, player_id);

-- A party's adventures, which a player's export tells of.
CREATE INDEX adventures_party_idx ON adventures (shard, party_id);
