-- The schema of Emoji Rangers Parties.
--
-- Rules that every table keeps, so that it also fits a distributed PostgreSQL: `shard` is in every domain table and
-- first in its primary key and unique indexes; a CHECK holds it against an identifier's last byte; there are no
-- sequences, triggers or functions in writes, since identifiers and randomness come in as parameters. What is looked up
-- without knowing a shard has a small table of its own, keyed by what is looked up.
--
-- Only decisions are stored: openings, inputs, and the clock of each shard. Ticks, events and states follow from them.

-- The lock, the fence, the head of the log and the clock of each shard. Every transaction that changes a shard locks its
-- row first.
CREATE TABLE shards (
    shard smallint NOT NULL,
    -- Position of the newest entry in `log`; zero when there is none.
    head bigint NOT NULL DEFAULT 0,
    -- The running digest of all entries.
    digest bigint NOT NULL DEFAULT 0,
    -- The moment up to which everything in the shard is decided, on the database's clock; it never goes back.
    clock timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',
    -- How many microseconds after the clock an engine moves it next, a second at most; null while nothing lives in the
    -- shard.
    due_after bigint,
    -- For how many microseconds the games of the shard have stood still, in all outages.
    stopped_for bigint NOT NULL DEFAULT 0,
    -- The number of live journeys and boss fights.
    journeys integer NOT NULL DEFAULT 0,
    boss_fights integer NOT NULL DEFAULT 0,
    -- The version that a node must know to work on the shard: of the rules, of entries and of openings.
    requires smallint NOT NULL DEFAULT 0,
    CONSTRAINT shards_pkey PRIMARY KEY (shard),
    CONSTRAINT shards_shard_check CHECK (shard BETWEEN 0 AND 255),
    CONSTRAINT shards_head_check CHECK (head >= 0),
    CONSTRAINT shards_clock_check CHECK (clock BETWEEN '1900-01-01 00:00:00+00' AND '9999-01-01 00:00:00+00'),
    CONSTRAINT shards_due_after_check CHECK (due_after BETWEEN 0 AND 1000000),
    -- A century at most, so that every moment of the shard stays within the range of timestamps.
    CONSTRAINT shards_stopped_for_check CHECK (stopped_for BETWEEN 0 AND 3155760000000000),
    CONSTRAINT shards_live_check CHECK (journeys >= 0 AND boss_fights >= 0),
    CONSTRAINT shards_requires_check CHECK (requires >= 0)
) WITH (fillfactor = 20); -- 256 rows, each updated on every change: room for HOT updates.

INSERT INTO shards (shard) SELECT number FROM generate_series(0, 255) AS number;

-- One dispatcher sends for a shard at a time. Every taking over raises the epoch, which fences the checkpoint.
CREATE TABLE leases (
    shard smallint NOT NULL,
    -- As in `dispatchers`: the lease lasts as long as its holder is present. Null after a release.
    holder uuid,
    epoch bigint NOT NULL DEFAULT 0,
    -- The lowest timestamp of the holder's pushes, in seconds since 1970: later than those of earlier holders, whose pushes
    -- have timestamps of up to a second ahead, except that the first one may have this one.
    first_timestamp bigint NOT NULL DEFAULT 0,
    -- When the lease was released, on the database's clock; null if it was not.
    released_at timestamptz,
    -- No entry at or below this position of the log needs to be read again.
    checkpoint bigint NOT NULL DEFAULT 0,
    -- The moment of the oldest change that is pending for an activity; null when there is none.
    pending_since timestamptz,
    CONSTRAINT leases_pkey PRIMARY KEY (shard),
    CONSTRAINT leases_shard_check CHECK (shard BETWEEN 0 AND 255)
) WITH (fillfactor = 20);

INSERT INTO leases (shard) SELECT number FROM generate_series(0, 255) AS number;

CREATE TABLE players (
    shard smallint NOT NULL,
    player_id uuid NOT NULL,
    display_name text NOT NULL,
    hero text NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT players_pkey PRIMARY KEY (shard, player_id),
    CONSTRAINT players_shard_check CHECK (shard = get_byte(uuid_send(player_id), 15))
);

-- Bearer tokens, by the SHA-256 of each: the token itself is stored nowhere.
CREATE TABLE player_tokens (
    token_hash bytea NOT NULL,
    player_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    -- Issued in exchange for another token and not used yet: its first use revokes all others of the player. Until then
    -- both are valid, since the response with the new one may be lost.
    is_fresh boolean NOT NULL DEFAULT false,
    CONSTRAINT player_tokens_pkey PRIMARY KEY (token_hash),
    CONSTRAINT player_tokens_token_hash_check CHECK (octet_length(token_hash) = 32)
);

-- A token that revokes the others, and a player who is erased.
CREATE INDEX player_tokens_player_idx ON player_tokens (player_id);

-- Players who requested their erasure, and of whom something may still be stored. Read only to complete what a crash
-- interrupted.
CREATE TABLE erasures (
    player_id uuid NOT NULL,
    requested_at timestamptz NOT NULL,
    CONSTRAINT erasures_pkey PRIMARY KEY (player_id)
);

CREATE TABLE parties (
    shard smallint NOT NULL,
    party_id uuid NOT NULL,
    name text NOT NULL,
    invite_code text NOT NULL,
    leader_id uuid NOT NULL,
    capacity smallint NOT NULL,
    -- The running adventure; null when the party is idle.
    adventure_id uuid,
    version bigint NOT NULL,
    created_at timestamptz NOT NULL,
    disbanded_at timestamptz,
    -- When what a disbanded party has left elsewhere was removed; null while it is there.
    leftovers_removed_at timestamptz,
    CONSTRAINT parties_pkey PRIMARY KEY (shard, party_id),
    CONSTRAINT parties_shard_check CHECK (shard = get_byte(uuid_send(party_id), 15)),
    CONSTRAINT parties_capacity_check CHECK (capacity BETWEEN 1 AND 8)
) WITH (fillfactor = 80);

-- The disbanded parties that have left something.
CREATE INDEX parties_disbanded_idx ON parties (shard, disbanded_at)
    WHERE disbanded_at IS NOT NULL AND leftovers_removed_at IS NULL;

-- Members carry a copy of what a party needs of its players, who live in shards of their own.
CREATE TABLE members (
    shard smallint NOT NULL,
    party_id uuid NOT NULL,
    player_id uuid NOT NULL,
    display_name text NOT NULL,
    hero text NOT NULL,
    -- What the hero has learned from adventure to adventure; its level follows from that.
    experience integer NOT NULL,
    joined_at timestamptz NOT NULL,
    CONSTRAINT members_pkey PRIMARY KEY (shard, party_id, player_id),
    CONSTRAINT members_experience_check CHECK (experience >= 0),
    CONSTRAINT members_shard_check CHECK (shard = get_byte(uuid_send(party_id), 15)),
    CONSTRAINT members_party_fkey FOREIGN KEY (shard, party_id) REFERENCES parties (shard, party_id)
) WITH (fillfactor = 80); -- The end of an adventure changes the experience of its heroes: room for HOT updates.

-- Finds a party by its invite code. Written before the party's row names the code; a code that its party does not
-- name is dead.
CREATE TABLE invite_codes (
    invite_code text NOT NULL,
    party_id uuid NOT NULL,
    -- A code that was reserved just now is not named by its party yet.
    reserved_at timestamptz NOT NULL,
    CONSTRAINT invite_codes_pkey PRIMARY KEY (invite_code)
);

-- Finds a player's parties, in the player's shard. Written before the membership; a row without one counts for nothing.
CREATE TABLE player_parties (
    shard smallint NOT NULL,
    player_id uuid NOT NULL,
    party_id uuid NOT NULL,
    -- When a request in progress claimed the membership slot; null once it has its response. A claim counts like a
    -- membership for as long as a request may take.
    claimed_at timestamptz,
    CONSTRAINT player_parties_pkey PRIMARY KEY (shard, player_id, party_id),
    CONSTRAINT player_parties_shard_check CHECK (shard = get_byte(uuid_send(player_id), 15))
);

-- Which players a disbanded party has left a row of.
CREATE INDEX player_parties_party_idx ON player_parties (party_id);

CREATE TABLE adventures (
    shard smallint NOT NULL,
    adventure_id uuid NOT NULL,
    party_id uuid NOT NULL,
    kind text NOT NULL,
    -- The value before anything happened, encoded by GameCore: with the schedule and the inputs, it decides everything.
    opening text NOT NULL,
    started_at timestamptz NOT NULL,
    -- Between two ticks of a journey, or for which a turn of a fight stays open, in microseconds.
    tick_interval bigint NOT NULL,
    -- The projected end, if no further input comes. Add `shards.stopped_for` to get the moment on the database's clock.
    ends_at timestamptz NOT NULL,
    -- Why it cannot be played; null if it can, as far as is known.
    fault text,
    -- The digest of its events, null if it could not be played; its outcome, null while it is live.
    final_digest bigint,
    outcome text,
    ended_at timestamptz,
    -- The value that stands for its last one, if it could not be played.
    final_state text,
    -- When its activities and decision records were removed; null while they are stored.
    details_removed_at timestamptz,
    CONSTRAINT adventures_pkey PRIMARY KEY (shard, adventure_id),
    CONSTRAINT adventures_party_fkey FOREIGN KEY (shard, party_id) REFERENCES parties (shard, party_id),
    CONSTRAINT adventures_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15)),
    CONSTRAINT adventures_kind_check CHECK (kind IN ('journey', 'bossFight')),
    CONSTRAINT adventures_tick_interval_check CHECK (tick_interval > 0),
    CONSTRAINT adventures_moments_check CHECK (
        started_at BETWEEN '1900-01-01 00:00:00+00' AND '9999-01-01 00:00:00+00'
        AND ends_at BETWEEN '1900-01-01 00:00:00+00' AND '9999-01-01 00:00:00+00'
        AND ended_at BETWEEN '1900-01-01 00:00:00+00' AND '9999-01-01 00:00:00+00'
    ),
    CONSTRAINT adventures_ended_check CHECK ((ended_at IS NULL) = (outcome IS NULL))
) WITH (fillfactor = 80); -- Room for the end: an update within a page logs only what it changes.

-- The live adventures, the next to end first.
CREATE INDEX adventures_ends_idx ON adventures (shard, ends_at) WHERE ended_at IS NULL;

-- A party's adventures, which a player's export contains.
CREATE INDEX adventures_party_idx ON adventures (shard, party_id);

-- Those whose details are stored, the longest over first.
CREATE INDEX adventures_ended_idx ON adventures (shard, ended_at)
    WHERE ended_at IS NOT NULL AND details_removed_at IS NULL;

-- Those that cannot be played: for operators.
CREATE INDEX adventures_fault_idx ON adventures (shard, adventure_id) WHERE fault IS NOT NULL;

-- The log: everything that was decided in a shard, gapless by position.
CREATE TABLE log (
    shard smallint NOT NULL,
    position bigint NOT NULL,
    -- The moment of the decision, never earlier than the entry before: later than the clock of the shard before it, but
    -- for an outage, which begins at that clock.
    at timestamptz NOT NULL,
    kind text NOT NULL,
    -- Null for an outage, which concerns all adventures of the shard.
    adventure_id uuid,
    -- What the kind needs, in a line: an input as GameCore encodes it, an activity, or how many microseconds an outage
    -- took. A second line is the trace of the request, a JSON object.
    body text NOT NULL,
    -- Of the adventure's events up to the entry: of a start, an input or an end.
    digest bigint,
    CONSTRAINT log_pkey PRIMARY KEY (shard, position),
    CONSTRAINT log_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15)),
    CONSTRAINT log_at_check CHECK (at BETWEEN '1900-01-01 00:00:00+00' AND '9999-01-01 00:00:00+00'),
    CONSTRAINT log_outage_check CHECK ((kind = 'outage') = (adventure_id IS NULL))
);

-- The inputs of an adventure, in order, and its entries of unknown kinds. A node that reads an entry of an unknown kind
-- does not play the adventure past it.
CREATE INDEX log_input_idx ON log (shard, adventure_id, position)
    WHERE kind NOT IN (
        'started', 'ended', 'activityRegistered', 'activityReleased', 'activityUpdateRequested', 'activityEndRequested',
        'outage'
    );

-- What is removed some time after the end of an adventure; its inputs stay.
CREATE INDEX log_removable_idx ON log (shard, position) WHERE kind <> 'input';

-- The outages of a shard, in order.
CREATE INDEX log_outage_idx ON log (shard, at) WHERE kind = 'outage';

CREATE TABLE activities (
    shard smallint NOT NULL,
    adventure_id uuid NOT NULL,
    activity_id uuid NOT NULL,
    player_id uuid NOT NULL,
    push_token bytea NOT NULL,
    environment text NOT NULL,
    frequent_pushes boolean NOT NULL,
    locale text,
    -- 1 and up: raised by every new token, so that a late response for an old one cannot harm the newer.
    generation integer NOT NULL,
    state text NOT NULL,
    registered_at timestamptz NOT NULL,
    token_registered_at timestamptz NOT NULL,
    -- `timestamp` of the newest push, in seconds since 1970; zero before the first.
    last_timestamp bigint NOT NULL DEFAULT 0,
    -- The phone shows everything up to this moment, or APNs has accepted that it will.
    acknowledged_at timestamptz NOT NULL,
    -- The alerts after that moment that APNs has accepted while an earlier one, or a lighter one of the same moment, still
    -- waits, as PushDispatch encodes them; mostly empty.
    accepted_alerts bytea NOT NULL DEFAULT '',
    CONSTRAINT activities_pkey PRIMARY KEY (shard, adventure_id, activity_id),
    CONSTRAINT activities_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15)),
    CONSTRAINT activities_adventure_fkey
        FOREIGN KEY (shard, adventure_id) REFERENCES adventures (shard, adventure_id),
    CONSTRAINT activities_environment_check CHECK (environment IN ('production', 'sandbox', 'simulator')),
    -- live: pushed to; ended: `end` was accepted, or refused for good; released: ended or dismissed on the phone;
    -- dead: its token is.
    CONSTRAINT activities_state_check CHECK (state IN ('live', 'ended', 'released', 'dead'))
) WITH (fillfactor = 80);

-- What a dispatcher loads when it takes a shard over.
CREATE INDEX activities_live_idx ON activities (shard) WHERE state = 'live';

-- A player's live activities in a shard, for the phone that tells which of them it still shows.
CREATE INDEX activities_live_player_idx ON activities (shard, player_id) WHERE state = 'live';

-- An operator has an activity's identifier and nothing more.
CREATE INDEX activities_activity_idx ON activities (activity_id);

-- All of a player's activities in a shard: erased, and exported.
CREATE INDEX activities_player_idx ON activities (shard, player_id);

-- What was decided for each activity lately, and why: `rangersctl activity explain` shows it, and nothing else reads it.
--
-- Apart from `activities`, whose rows stay small that way. No foreign key, so that this can never stand in the way of
-- what is written with it: what was sent, and what is acknowledged.
CREATE TABLE activity_decisions (
    shard smallint NOT NULL,
    adventure_id uuid NOT NULL,
    activity_id uuid NOT NULL,
    -- The newest 32 records, some 300 bytes, as PushDispatch encodes them; empty for none.
    records bytea NOT NULL,
    CONSTRAINT activity_decisions_pkey PRIMARY KEY (shard, adventure_id, activity_id),
    CONSTRAINT activity_decisions_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15))
) WITH (fillfactor = 50); -- Each row is rewritten again and again, and no index knows `records`: room for HOT updates.

-- The newest push that an operator requested, by activity: `rangersctl push test --activity` shows it.
--
-- Apart from `activity_decisions`, whose rows are rewritten often and stay small that way. No foreign key, for the same
-- reason as there. Nothing in it is personal or secret: heroes go by their names in the catalogue, tokens by some digits.
CREATE TABLE requested_pushes (
    shard smallint NOT NULL,
    adventure_id uuid NOT NULL,
    activity_id uuid NOT NULL,
    -- Of the log entry with the request.
    position bigint NOT NULL,
    -- Request and response, as the dispatcher reports them: a JSON object.
    report text NOT NULL,
    CONSTRAINT requested_pushes_pkey PRIMARY KEY (shard, adventure_id, activity_id),
    CONSTRAINT requested_pushes_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15))
);

-- Push-to-start: one token a player, with which the server starts an activity, and what was started with it. Found
-- without knowing a shard, so it is keyed by the player.
CREATE TABLE push_to_start (
    player_id uuid NOT NULL,
    -- Null once it is dead; the starts stay, since the budget is the player's and not the token's.
    push_token bytea,
    environment text NOT NULL,
    frequent_pushes boolean NOT NULL,
    -- Raised by every change: who claims a start names the version that was read.
    version bigint NOT NULL,
    -- The starts of the last day, oldest first, and their adventures in the same order.
    started_at timestamptz[] NOT NULL,
    started_adventures uuid[] NOT NULL,
    CONSTRAINT push_to_start_pkey PRIMARY KEY (player_id),
    CONSTRAINT push_to_start_environment_check CHECK (environment IN ('production', 'sandbox', 'simulator')),
    CONSTRAINT push_to_start_started_check CHECK (cardinality(started_at) = cardinality(started_adventures))
) WITH (fillfactor = 80);

-- A token belongs to one device: a player who registers it takes it from the previous owner.
CREATE INDEX push_to_start_token_idx ON push_to_start (push_token) WHERE push_token IS NOT NULL;

-- The present dispatchers: each renews its row several times a second, and with it all of its leases.
--
-- A row that has expired is never renewed: its dispatcher goes on under another holder. Other dispatchers mark it as over
-- before they acquire its shards, so that a renewal which is under way either comes first or finds it over. They remove it
-- afterwards.
CREATE TABLE dispatchers (
    -- One run of a dispatcher without a lapse.
    holder uuid NOT NULL,
    -- On the database's clock.
    expires_at timestamptz NOT NULL,
    -- Whether it has ended, or others have seen that it had expired.
    is_over boolean NOT NULL DEFAULT false,
    -- Whether it knows everything in all shards. The others hold shards only if no such dispatcher is present.
    knows_all boolean NOT NULL,
    -- The APNs environments that it sends to: the API tells an app whether its activity can get pushes.
    environments text[] NOT NULL,
    CONSTRAINT dispatchers_pkey PRIMARY KEY (holder)
);

-- Responses to writes, stored with their effect, so that a request sent again gets the same response and is not applied
-- again.
CREATE TABLE idempotency_keys (
    shard smallint NOT NULL,
    player_id uuid NOT NULL,
    key text NOT NULL,
    -- SHA-256 of method, path and body.
    request_hash bytea NOT NULL,
    status smallint NOT NULL,
    body text NOT NULL,
    -- The version of the party in the body, for its ETag; null if there is none.
    party_version bigint,
    created_at timestamptz NOT NULL,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (shard, player_id, key)
);

-- Finds what has expired, shard by shard.
CREATE INDEX idempotency_keys_created_idx ON idempotency_keys (shard, created_at);

-- Operators and the SHA-256 of their tokens.
CREATE TABLE operators (
    name text NOT NULL,
    role text NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    -- Null for a token that is valid until it is revoked.
    expires_at timestamptz,
    revoked_at timestamptz,
    CONSTRAINT operators_pkey PRIMARY KEY (name),
    CONSTRAINT operators_role_check CHECK (role IN ('admin', 'viewer')),
    CONSTRAINT operators_token_hash_key UNIQUE (token_hash)
);

-- Who changed what: written in the transaction of the change itself, never changed, never removed. One chain for each
-- shard, since a transaction has one shard; changes of operators, which have no shard, are in the chain of shard 0. The
-- transaction that appends has locked the shard's row, so positions have no gaps.
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

-- The fights that a campaign has started, each written in the transaction that starts the fight. An operator who resumes
-- an interrupted campaign therefore sets no second boss on a party, not even after the first fight has ended.
CREATE TABLE campaign_fights (
    shard smallint NOT NULL,
    campaign text NOT NULL,
    party_id uuid NOT NULL,
    adventure_id uuid NOT NULL,
    started_at timestamptz NOT NULL,
    -- The run that started the fight, as the operator's program names it; null for one that named none.
    run uuid,
    CONSTRAINT campaign_fights_pkey PRIMARY KEY (shard, campaign, party_id),
    CONSTRAINT campaign_fights_shard_check CHECK (shard = get_byte(uuid_send(party_id), 15)),
    CONSTRAINT campaign_fights_party_fkey FOREIGN KEY (shard, party_id) REFERENCES parties (shard, party_id)
);
