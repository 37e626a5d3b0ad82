-- Push-to-start: one token a player, with which the server starts a card, and what was started with it. Found without
-- knowing a shard, so it is keyed by the player.
CREATE TABLE push_to_start (
    player_id uuid NOT NULL,
    -- Null once it was forgotten; the starts stay, since the budget is the player's and not the token's.
    push_token bytea,
    environment text NOT NULL,
    frequent_pushes boolean NOT NULL,
    -- Raised by every change: who claims a start says which version was read.
    version bigint NOT NULL,
    -- The starts of the last day, oldest first, and their adventures in the same order.
    started_at timestamptz[] NOT NULL,
    started_adventures uuid[] NOT NULL,
    CONSTRAINT push_to_start_pkey PRIMARY KEY (player_id),
    CONSTRAINT push_to_start_environment_check CHECK (environment IN ('production', 'sandbox', 'simulator')),
    CONSTRAINT push_to_start_started_check CHECK (cardinality(started_at) = cardinality(started_adventures))
) WITH (fillfactor = 80);

-- A token is one phone's: whoever registers it takes it from whoever had it before.
CREATE INDEX push_to_start_token_idx ON push_to_start (push_token) WHERE push_token IS NOT NULL;

-- A player's live activities in a shard, for the phone that tells which of them it still shows.
CREATE INDEX activities_live_player_idx ON activities (shard, player_id) WHERE state = 'live';
