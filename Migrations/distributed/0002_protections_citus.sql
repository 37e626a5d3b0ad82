-- What keeps locks short, dispatchers present and quotas near their players, on a Citus cluster.

-- Transactions limit how long they wait for locks. The machines that hold the locks must know the limit, too.
DO $$
BEGIN
    EXECUTE format(
        'ALTER ROLE CURRENT_USER IN DATABASE %I SET citus.propagate_set_commands = ''local''', current_database()
    );
END
$$;

-- Each dispatcher writes its row several times a second, and reads those of all others. They are on the coordinator, which
-- every node needs anyway, so that no other machine costs a dispatcher its presence.
SELECT undistribute_table('dispatchers');

-- Spreads the table of quotas like the other tables that have a shard.
SELECT create_distributed_table('quotas', 'shard', colocate_with => 'shards');
