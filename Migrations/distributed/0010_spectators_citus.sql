-- Spreads the links of spectators like the parties.
SELECT create_distributed_table('spectators', 'shard', colocate_with => 'shards');
