/// A stand-in for the functions of Citus that distribute a schema, for PostgreSQL without Citus.
///
/// The functions do not move tables. They check the requirements of Citus (its documentation, "Distributed Data
/// Modeling" and "create_distributed_table", and the errors of Citus 13.2): each primary key and unique index includes
/// the distribution column; foreign keys refer to colocated tables, including the distribution column, or to reference
/// tables; there are no triggers and no generated distribution column; the distribution columns of a colocation group
/// have one type. The distributed tables are listed in `stand_in.tables`.
///
/// Triggers then reject transactions that change rows of two shards, and count them in the sequence
/// `stand_in.offences`, which a rollback does not reset.
public enum DistributionStandIn {
    /// The script that creates the functions, for ``PostgresShell`` or `PostgresConnection.script(_:)`.
    public static let sql = #"""
        CREATE SCHEMA stand_in;
        CREATE TABLE stand_in.tables (
            name text PRIMARY KEY,
            -- Null for a reference table.
            distribution_column text,
            -- The table with which it is colocated, or itself.
            colocation text
        );
        CREATE SEQUENCE stand_in.offences;

        CREATE FUNCTION stand_in.one_shard() RETURNS trigger LANGUAGE plpgsql AS $body$
        DECLARE
            changed jsonb;
            location text;
            earlier text := current_setting('stand_in.shard', true);
        BEGIN
            IF TG_OP = 'DELETE' THEN changed := to_jsonb(OLD); ELSE changed := to_jsonb(NEW); END IF;
            location := TG_ARGV[0] || ' ' || (changed ->> TG_ARGV[1]);
            IF earlier <> '' AND earlier <> location THEN
                PERFORM nextval('stand_in.offences');
                RAISE EXCEPTION 'a transaction that changed shard % also changes % in shard %', earlier, TG_TABLE_NAME, location;
            END IF;
            PERFORM set_config('stand_in.shard', location, true);
            RETURN NULL;
        END
        $body$;

        CREATE FUNCTION stand_in.check_table(checked regclass, distribution text, peers text) RETURNS void
        LANGUAGE plpgsql AS $body$
        DECLARE
            key smallint;
            fault text;
        BEGIN
            IF EXISTS (SELECT FROM stand_in.tables WHERE name = checked::text) THEN
                RAISE EXCEPTION 'table % is already distributed', checked;
            END IF;
            SELECT string_agg(tgname, ', ') INTO fault FROM pg_trigger WHERE tgrelid = checked AND NOT tgisinternal;
            IF fault IS NOT NULL THEN
                RAISE EXCEPTION 'triggers are not supported on distributed tables: %', fault;
            END IF;
            SELECT attnum INTO key FROM pg_attribute
            WHERE attrelid = checked AND attname = distribution AND attgenerated = '';
            IF distribution IS NOT NULL AND key IS NULL THEN
                RAISE EXCEPTION 'there is no column % of % that can be a distribution column', distribution, checked;
            END IF;
            SELECT string_agg(indexrelid::regclass::text, ', ') INTO fault FROM pg_index
            WHERE indrelid = checked AND indisunique AND NOT key = ANY (indkey::smallint[]);
            IF fault IS NOT NULL THEN
                RAISE EXCEPTION 'cannot create constraint on %: % lack the distribution column', checked, fault;
            END IF;
            SELECT string_agg(conname, ', ') INTO fault
            FROM pg_constraint AS c
            LEFT JOIN stand_in.tables AS t ON t.name = c.confrelid::regclass::text
            WHERE c.conrelid = checked AND c.contype = 'f' AND (
                t.name IS NULL
                OR t.distribution_column IS NOT NULL AND (
                    peers IS NULL OR t.colocation <> peers OR c.confdeltype IN ('n', 'd') OR c.confupdtype IN ('n', 'd')
                    OR NOT EXISTS (
                        SELECT FROM unnest(c.conkey, c.confkey) AS k (here, there)
                        JOIN pg_attribute AS a ON a.attrelid = c.confrelid AND a.attnum = k.there
                        WHERE k.here = key AND a.attname = t.distribution_column
                    )
                )
            );
            IF fault IS NOT NULL THEN
                RAISE EXCEPTION 'foreign keys of % refer to tables that are not colocated: %', checked, fault;
            END IF;
        END
        $body$;

        CREATE FUNCTION create_distributed_table(
            table_name regclass, distribution_column text, distribution_type text DEFAULT 'hash',
            colocate_with text DEFAULT 'default', shard_count integer DEFAULT NULL
        ) RETURNS void LANGUAGE plpgsql AS $body$
        DECLARE
            peers text := CASE colocate_with WHEN 'none' THEN table_name::text ELSE colocate_with END;
        BEGIN
            IF colocate_with = 'default' THEN
                RAISE EXCEPTION 'colocate_with of % is required', table_name;
            END IF;
            IF peers <> table_name::text AND NOT EXISTS (
                SELECT FROM stand_in.tables AS t
                JOIN pg_attribute AS b ON b.attrelid = t.name::regclass AND b.attname = t.distribution_column
                JOIN pg_attribute AS a ON a.attrelid = table_name
                    AND a.attname = create_distributed_table.distribution_column AND a.atttypid = b.atttypid
                WHERE t.name = peers
            ) THEN
                RAISE EXCEPTION 'cannot colocate tables % and %: Distribution column types do not match', peers, table_name;
            END IF;
            PERFORM stand_in.check_table(table_name, distribution_column, peers);
            INSERT INTO stand_in.tables VALUES (table_name::text, distribution_column, peers);
            EXECUTE format(
                'CREATE TRIGGER stand_in_one_shard AFTER INSERT OR UPDATE OR DELETE ON %s '
                    'FOR EACH ROW EXECUTE FUNCTION stand_in.one_shard(%L, %L)',
                table_name, peers, distribution_column
            );
        END
        $body$;

        CREATE FUNCTION create_reference_table(table_name regclass) RETURNS void LANGUAGE plpgsql AS $body$
        BEGIN
            PERFORM stand_in.check_table(table_name, NULL, NULL);
            INSERT INTO stand_in.tables VALUES (table_name::text, NULL, NULL);
        END
        $body$;

        CREATE FUNCTION undistribute_table(table_name regclass) RETURNS void LANGUAGE plpgsql AS $body$
        BEGIN
            DELETE FROM stand_in.tables WHERE name = table_name::text;
            EXECUTE format('DROP TRIGGER IF EXISTS stand_in_one_shard ON %s', table_name);
        END
        $body$;

        CREATE VIEW pg_dist_partition AS SELECT name::regclass AS logicalrelid FROM stand_in.tables;

        -- Two machines, with the even and the odd shards.
        CREATE VIEW pg_dist_node AS
            SELECT * FROM (VALUES (1, 'even', 5432, 'primary'), (2, 'odd', 5432, 'primary'))
                AS n (groupid, nodename, nodeport, noderole);
        CREATE VIEW pg_dist_placement AS
            SELECT number::bigint AS shardid, number % 2 + 1 AS groupid FROM generate_series(0, 255) AS number;
        CREATE FUNCTION get_shard_id_for_distribution_column(table_name regclass, value smallint) RETURNS bigint
            LANGUAGE sql AS 'SELECT value::bigint';

        -- What a diagnosis reads: nothing waits, and nothing is left.
        CREATE FUNCTION run_command_on_workers(command text)
            RETURNS TABLE (nodename text, nodeport integer, success boolean, result text)
            LANGUAGE sql AS $body$ SELECT nodename, nodeport, true, '0 0' FROM pg_dist_node $body$;
        CREATE VIEW citus_lock_waits AS SELECT 1::bigint AS waiting_gpid, 2::bigint AS blocking_gpid WHERE false;
        CREATE VIEW citus_dist_stat_activity AS
            SELECT pid::bigint AS global_pid, false AS is_worker_query, * FROM pg_stat_activity;
        """#
}
