-- Spreads channels like what they belong to. The few rows of channel_keepers stay on the coordinator.
SELECT create_distributed_table('channels', 'shard', colocate_with => 'shards');
