-- Campaigns: an operator sets one boss on every idle party, in many small transactions.

-- Which boss a campaign sets, so that one name never sets two.
CREATE TABLE campaigns (
    name text NOT NULL,
    boss text NOT NULL,
    -- The operator who began it.
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT campaigns_pkey PRIMARY KEY (name)
);

-- The fights that a campaign has begun, each written in the transaction that begins the fight: whoever goes on with a
-- campaign that was broken off finds them, and sets no second boss on a party, not even after the first fight is over.
CREATE TABLE campaign_fights (
    shard smallint NOT NULL,
    campaign text NOT NULL,
    party_id uuid NOT NULL,
    adventure_id uuid NOT NULL,
    started_at timestamptz NOT NULL,
    CONSTRAINT campaign_fights_pkey PRIMARY KEY (shard, campaign, party_id),
    CONSTRAINT campaign_fights_shard_check CHECK (shard = get_byte(uuid_send(party_id), 15)),
    CONSTRAINT campaign_fights_party_fkey FOREIGN KEY (shard, party_id) REFERENCES parties (shard, party_id)
);
