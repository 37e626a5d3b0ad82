-- Sign in with Apple: a player who has lost the token gets another one with the Apple account.

-- The Apple account that each player has linked, by the SHA-256 of its issuer and subject; the account itself is stored nowhere.
CREATE TABLE apple_accounts (
    account_hash bytea NOT NULL,
    player_id uuid NOT NULL,
    linked_at timestamptz NOT NULL,
    -- When Apple issued the newest identity token that was accepted, by Apple's clock. Each sign-in needs a newer one, so that
    -- a token that was seen on its way is of no further use.
    token_issued_at timestamptz NOT NULL,
    CONSTRAINT apple_accounts_pkey PRIMARY KEY (account_hash),
    CONSTRAINT apple_accounts_account_hash_check CHECK (octet_length(account_hash) = 32)
);

-- A player has one account at most.
CREATE UNIQUE INDEX apple_accounts_player_idx ON apple_accounts (player_id);
