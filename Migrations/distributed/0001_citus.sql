-- Spreads the tables over the machines of a Citus cluster; nothing else of the schema changes.
--
-- What has a shard is distributed by it, all of it colocated: whatever happens in a shard is one machine's transaction.
-- What is looked up without a shard is either distributed by what it is looked up by, or a reference table, of which
-- every machine has a copy: read without asking another machine, written on all of them, so for what is written rarely.
-- `schema_migrations` and `distributed_migrations` stay where they are, on the coordinator: migrations alone use them.

-- Distributed tables whose foreign keys lead to each other are made one after the other.
SET LOCAL citus.multi_shard_modify_mode = 'sequential';

SELECT create_distributed_table('shards', 'shard', colocate_with => 'none');
SELECT create_distributed_table('leases', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('players', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('player_parties', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('parties', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('members', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('adventures', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('log', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('activities', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('activity_decisions', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('requested_pushes', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('idempotency_keys', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('campaign_fights', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('audit', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('audit_heads', 'shard', colocate_with => 'shards');

-- Looked up by the code alone, and written once for each party.
SELECT create_distributed_table('invite_codes', 'invite_code', colocate_with => 'none');
-- A row for each dispatcher, which writes it several times a second; each dispatcher reads all of them at once.
SELECT create_distributed_table('dispatchers', 'holder', colocate_with => 'none');

-- Read by every request, by the token; written when somebody registers or exchanges a token, which ends the player's
-- other tokens: by the player.
SELECT create_reference_table('player_tokens');
-- A few rows each, seldom written.
SELECT create_reference_table('erasures');
SELECT create_reference_table('operators');
SELECT create_reference_table('campaigns');
