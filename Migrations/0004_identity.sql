-- What keeps a lost token from being a lost account.

-- When the token was used last, to a day: written at most once a day, so that a request costs no write. Null for a token
-- that was never used, and for one that an older version issued.
ALTER TABLE player_tokens ADD COLUMN last_used_at timestamptz;

-- Of a token that was issued with a recovery code, the SHA-256 of that code: the first use of the token ends all other codes of
-- the player, and until then both the old code and the new one are valid, since the response with the new one may be lost.
ALTER TABLE player_tokens ADD COLUMN recovery_code_hash bytea;

-- Of a token that was issued in exchange for another one, the SHA-256 of that one: the first use of the token ends it, and no
-- token of another device of the player. False for a token that an older version issued, which ends all others.
ALTER TABLE player_tokens ADD COLUMN replaced_hash bytea;
ALTER TABLE player_tokens ADD COLUMN keeps_others boolean NOT NULL DEFAULT false;

-- Recovery codes, by the SHA-256 of each: a player who has lost the token gets another one for the code. One a player, or
-- two until the first use of the token that was issued for the older one.
CREATE TABLE recovery_codes (
    code_hash bytea NOT NULL,
    player_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT recovery_codes_pkey PRIMARY KEY (code_hash),
    CONSTRAINT recovery_codes_code_hash_check CHECK (octet_length(code_hash) = 32)
);

-- The codes that another one ends, and those of a player who is erased.
CREATE INDEX recovery_codes_player_idx ON recovery_codes (player_id);

-- Registrations with an idempotency key, for a day: a repeated request gets the same player. Found by the key, since there is
-- no player yet. The secrets of the response are derived from the key and the salt, and neither of them alone reveals any;
-- the key is stored as its SHA-256 only. A registration whose player has no row in `players` is not complete.
CREATE TABLE registrations (
    key_hash bytea NOT NULL,
    -- SHA-256 of method, path and body.
    request_hash bytea NOT NULL,
    salt bytea NOT NULL,
    player_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT registrations_pkey PRIMARY KEY (key_hash)
);

-- Those that have expired, the oldest first.
CREATE INDEX registrations_created_idx ON registrations (created_at);

-- A player who is erased.
CREATE INDEX registrations_player_idx ON registrations (player_id);

-- The version of the profile, for its ETag.
ALTER TABLE players ADD COLUMN version bigint NOT NULL DEFAULT 1;

-- When the player changed the profile while parties may still show the older one; null if all parties show it.
ALTER TABLE players ADD COLUMN profile_changed_at timestamptz;

-- The profiles that parties may show as they were before.
CREATE INDEX players_changed_idx ON players (shard, player_id) WHERE profile_changed_at IS NOT NULL;
