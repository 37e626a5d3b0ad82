-- Parties whose adventures anyone with a link may watch.

-- In the party's shard; the link names the shard. Without a row, a party is closed to spectators.
CREATE TABLE spectators (
    shard smallint NOT NULL,
    party_id uuid NOT NULL,
    -- The SHA-256 of the link, which is not stored.
    link_hash bytea NOT NULL,
    -- The random bytes from which the link is derived, together with the bearer token of the leader.
    salt bytea NOT NULL,
    opened_at timestamptz NOT NULL,
    CONSTRAINT spectators_pkey PRIMARY KEY (shard, party_id),
    CONSTRAINT spectators_link_hash_key UNIQUE (shard, link_hash),
    CONSTRAINT spectators_shard_check CHECK (shard = get_byte(uuid_send(party_id), 15))
);
