-- Spreads the table of receipts like the other tables that have a shard.
SELECT create_distributed_table('activity_receipts', 'shard', colocate_with => 'shards');
