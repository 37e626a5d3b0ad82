-- A hero's progress belongs to the player, whatever party it was made in, and leaderboards compare players.

-- What ended adventures brought their players, who are in other shards: written in the transaction that records the end, and
-- removed once the player's shard has it in `player_adventures`.
CREATE TABLE awards (
    shard smallint NOT NULL,
    adventure_id uuid NOT NULL,
    player_id uuid NOT NULL,
    party_id uuid NOT NULL,
    -- Null for the experience that a member had before progress belonged to players: the award has the party's identifier then.
    kind text,
    -- The region or the boss.
    scene text NOT NULL,
    outcome text,
    hero text NOT NULL,
    -- The experience that the hero gained, and what it had at the end.
    experience integer NOT NULL,
    reached integer NOT NULL,
    bosses integer NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    CONSTRAINT awards_pkey PRIMARY KEY (shard, adventure_id, player_id),
    CONSTRAINT awards_shard_check CHECK (shard = get_byte(uuid_send(adventure_id), 15))
);

-- The same in the player's shard, for longer: the player's history. A row says that the award is applied, so that it is
-- applied once, however often it is read.
CREATE TABLE player_adventures (
    shard smallint NOT NULL,
    adventure_id uuid NOT NULL,
    player_id uuid NOT NULL,
    party_id uuid NOT NULL,
    kind text,
    scene text NOT NULL,
    outcome text,
    hero text NOT NULL,
    experience integer NOT NULL,
    reached integer NOT NULL,
    bosses integer NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    CONSTRAINT player_adventures_pkey PRIMARY KEY (shard, player_id, adventure_id),
    CONSTRAINT player_adventures_shard_check CHECK (shard = get_byte(uuid_send(player_id), 15))
);

-- What is removed from the history.
CREATE INDEX player_adventures_ended_idx ON player_adventures (shard, ended_at);

-- What each player has gained in the periods of the leaderboards.
CREATE TABLE leaderboard_scores (
    shard smallint NOT NULL,
    player_id uuid NOT NULL,
    board text NOT NULL,
    period text NOT NULL,
    -- Tells one season or week from another.
    ends_at timestamptz NOT NULL,
    score integer NOT NULL,
    CONSTRAINT leaderboard_scores_pkey PRIMARY KEY (shard, player_id, board, period, ends_at),
    CONSTRAINT leaderboard_scores_shard_check CHECK (shard = get_byte(uuid_send(player_id), 15)),
    CONSTRAINT leaderboard_scores_score_check CHECK (score > 0)
);

-- The first players of all shards, and those above and below a player.
CREATE INDEX leaderboard_scores_rank_idx ON leaderboard_scores (board, period, ends_at, score, player_id);

-- The scores of periods that are over.
CREATE INDEX leaderboard_scores_ends_idx ON leaderboard_scores (shard, ends_at);

-- How many players of each shard have the scores of a bucket: a player's rank is a sum of some thousand rows, and no count of
-- players.
CREATE TABLE leaderboard_buckets (
    shard smallint NOT NULL,
    ends_at timestamptz NOT NULL,
    period text NOT NULL,
    board text NOT NULL,
    bucket integer NOT NULL,
    players integer NOT NULL,
    CONSTRAINT leaderboard_buckets_pkey PRIMARY KEY (shard, ends_at, period, board, bucket),
    CONSTRAINT leaderboard_buckets_shard_check CHECK (shard BETWEEN 0 AND 255)
) WITH (fillfactor = 50); -- Each row is updated again and again: room for HOT updates.

-- Before, experience belonged to members. Their players get it like that of an adventure.
INSERT INTO awards
SELECT shard, party_id, player_id, party_id, NULL, '', NULL, hero, experience, experience, 0, now(), now()
FROM members
WHERE experience > 0;

-- The experience and the defeated bosses of all adventures; the level follows from the experience. Members have a copy of
-- the experience, as of the name and the hero. Last, since the rest takes seconds with a million members, and this locks the
-- players until the end of the transaction.
ALTER TABLE players ADD COLUMN experience integer NOT NULL DEFAULT 0;
ALTER TABLE players ADD COLUMN bosses_defeated integer NOT NULL DEFAULT 0;
