-- What operators change is written down, and their tokens may expire.

-- Whoever waits for the tables' locks keeps everybody behind it waiting: better to fail, and to be tried again.
SET LOCAL lock_timeout = '5s';

-- Who changed what: written in the transaction of the change itself, never changed, never removed. One chain for each
-- shard, since a transaction has one shard; what belongs to none, such as operators, is in the chain of shard 0. Whoever
-- writes has locked the shard's row, so positions have no gaps.
CREATE TABLE audit (
    shard smallint NOT NULL,
    -- 1 and up.
    position bigint NOT NULL,
    at timestamptz NOT NULL,
    -- An operator's name, or the program and the system's user that did it: rangersd:postgres.
    author text NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    -- JSON objects of texts, as text: the hash is over these very bytes.
    before text,
    after text,
    request_id text,
    -- SHA-256 over all of the above and the hash of the entry before, see AuditEntry; the first one's is 32 zeros.
    hash bytea NOT NULL,
    CONSTRAINT audit_pkey PRIMARY KEY (shard, position),
    CONSTRAINT audit_shard_check CHECK (shard BETWEEN 0 AND 255),
    CONSTRAINT audit_position_check CHECK (position > 0),
    CONSTRAINT audit_hash_check CHECK (octet_length(hash) = 32)
);

-- Pages of the newest changes, whatever their shards.
CREATE INDEX audit_at_idx ON audit (at, shard, position);

-- The same, of one author.
CREATE INDEX audit_author_idx ON audit (author, at, shard, position);

-- Where each chain ends: entries that were cut off from its end are missed.
CREATE TABLE audit_heads (
    shard smallint NOT NULL,
    -- The position of the newest entry; zero when there is none.
    length bigint NOT NULL DEFAULT 0,
    hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
    CONSTRAINT audit_heads_pkey PRIMARY KEY (shard),
    CONSTRAINT audit_heads_shard_check CHECK (shard BETWEEN 0 AND 255),
    CONSTRAINT audit_heads_hash_check CHECK (octet_length(hash) = 32)
);

INSERT INTO audit_heads (shard) SELECT number FROM generate_series(0, 255) AS number;

-- Null for a token that is good until it is revoked.
ALTER TABLE operators ADD COLUMN expires_at timestamptz;
