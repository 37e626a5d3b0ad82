-- Spreads raids over their homes, and what their members write over the members.
SELECT create_distributed_table('raids', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('raid_members', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('raid_decisions', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('raid_history', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('raid_shards', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('raid_rounds', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('raid_standings', 'shard', colocate_with => 'shards');
