-- Dispatchers say that they are there, so that each knows its share of the shards: `leases` alone does not tell of one
-- that has none yet.
CREATE TABLE dispatchers (
    -- As in `leases`.
    holder uuid NOT NULL,
    -- On the database's clock, like a lease.
    expires_at timestamptz NOT NULL,
    CONSTRAINT dispatchers_pkey PRIMARY KEY (holder)
);
