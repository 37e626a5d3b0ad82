-- A player's places lie in the player's shard, as the player does: a place is claimed in one transaction of one shard.
-- Nodes of the release before cannot work with this schema: stop them first.

-- Whoever waits for the table's lock keeps everybody behind it waiting: better to fail, and to be tried again.
SET LOCAL lock_timeout = '5s';

ALTER TABLE player_parties ADD COLUMN shard smallint;

UPDATE player_parties SET shard = get_byte(uuid_send(player_id), 15);

ALTER TABLE player_parties ALTER COLUMN shard SET NOT NULL;
ALTER TABLE player_parties DROP CONSTRAINT player_parties_pkey;
ALTER TABLE player_parties ADD CONSTRAINT player_parties_pkey PRIMARY KEY (shard, player_id, party_id);
ALTER TABLE player_parties
    ADD CONSTRAINT player_parties_shard_check CHECK (shard = get_byte(uuid_send(player_id), 15));
