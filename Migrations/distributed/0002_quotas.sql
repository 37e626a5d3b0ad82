-- Spreads the table of quotas like the other tables that have a shard.
SELECT create_distributed_table('quotas', 'shard', colocate_with => 'shards');
