-- Spreads the devices of players like the players.
SELECT create_distributed_table('devices', 'shard', colocate_with => 'shards');
