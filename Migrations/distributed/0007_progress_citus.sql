-- Spreads what players have gained like the players, and what they are to get like the adventures.
SELECT create_distributed_table('awards', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('player_adventures', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('leaderboard_scores', 'shard', colocate_with => 'shards');
SELECT create_distributed_table('leaderboard_buckets', 'shard', colocate_with => 'shards');
