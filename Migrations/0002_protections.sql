-- What keeps one player, phone, shard or failover from holding up the others.

-- When the phone's budget of pushes at priority 10 is full again, on the database's clock: the whole state of the budget.
-- Null for a full one. Stored with the results of pushes, so that a node that takes over spends no budget twice.
ALTER TABLE activities ADD COLUMN budget_full_at timestamptz;
