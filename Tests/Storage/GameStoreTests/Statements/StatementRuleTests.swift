import Foundation
import GameStore
import PostgresClient
import Testing

@Suite struct StatementRuleTests {
    @Test func `every statement of the sources is listed here, under a unique name`() throws {
        let (names, withoutLiteral) = try AllStatements.inSources()
        #expect(withoutLiteral == [], "statements must have literal names, so that none is overlooked")
        let known = (AllStatements.all + AllStatements.copies + AllStatements.settings).map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.filter { !$0.hasPrefix("migration.") }.sorted() == known.sorted())
    }

    @Test func `every statement names one shard and suits a distributed PostgreSQL, or is a documented exception`()
        async throws
    {
        try await StatementAnalyzer.with { analyzer in
            let trees = try await analyzer.trees(of: AllStatements.all)
            var unneeded = Set(StatementExceptions.all.keys)
            for statement in AllStatements.all {
                let tree = try #require(trees[statement.name])
                let rules = DistributionRules(tree, in: analyzer.catalogue)
                #expect(rules.faults == [], "\(statement.name)")
                switch rules.reach {
                case .none, .one:
                    break
                case .several, .all:
                    unneeded.remove(statement.name)
                    #expect(StatementExceptions.all[statement.name]?.reach == rules.reach, "\(statement.name)")
                }
            }
            #expect(unneeded == [])
        }
    }

    private static let examples: [(sql: String, reach: DistributionRules.Reach, faults: [String])] = [
        ("SELECT opening FROM adventures WHERE adventure_id = $1", .all, []),
        ("SELECT head FROM shards WHERE shard = $1 OR head = $2", .all, []),
        ("SELECT head FROM shards WHERE shard > $1", .all, []),
        ("SELECT head FROM shards WHERE shard = ANY ($1)", .several, []),
        ("SELECT head FROM shards WHERE shard <> ALL ($1)", .all, []),
        ("SELECT 1 FROM shards AS s JOIN leases AS l ON l.shard = $2 WHERE s.shard = $1", .all, []),
        ("SELECT 1 FROM shards AS s JOIN leases AS l ON l.shard = s.shard WHERE s.shard = $1", .all, []),
        ("SELECT 1 FROM shards AS s LEFT JOIN leases AS l ON s.shard = $1 AND l.shard = $1", .all, []),
        ("SELECT 1 FROM shards AS s LEFT JOIN leases AS l ON l.shard = $1 WHERE s.shard = $1", .one, []),
        ("SELECT party_id FROM invite_codes WHERE invite_code = $1", .one, []),
        ("SELECT player_id FROM player_tokens WHERE token_hash = $1", .none, []),
        (
            "SELECT 1 FROM shards WHERE shard = $1 AND EXISTS (SELECT FROM leases WHERE leases.shard = shards.shard)",
            .all, []
        ),
        ("SELECT 1 FROM (SELECT 1 FROM shards LIMIT $1) AS s", .all, []),
        ("SELECT 1 FROM (SELECT FROM shards LIMIT $1) AS s", .all, ["has a subquery without columns in FROM"]),
        (
            "SELECT (SELECT max(head) FROM shards), (SELECT count(*) FROM pg_stat_activity)", .all,
            ["reads a view of the catalogue beside distributed tables"]
        ),
        ("SELECT count(*) FROM pg_stat_activity", .none, []),
        ("SELECT head FROM shards FOR UPDATE", .all, ["locks rows of more than one shard"]),
        (
            "UPDATE leases SET released_at = released_at + $2::interval WHERE shard = $1", .one,
            ["applies a function that is not immutable to a column"]
        ),
        ("UPDATE leases SET released_at = now() + $2::interval WHERE shard = $1 AND released_at < now()", .one, []),
        (
            "UPDATE leases SET released_at = clock_timestamp() WHERE shard = $1", .one,
            ["has a volatile function in what it changes or reads"]
        ),
        (
            "UPDATE leases SET released_at = coalesce($2, now()) WHERE shard = $1", .one,
            ["has a function in CASE or COALESCE that is not immutable"]
        ),
        (
            "UPDATE activities SET locale = registered_at::text WHERE shard = $1", .one,
            ["applies a function that is not immutable to a column"]
        ),
        (
            "DELETE FROM log WHERE shard = $1 AND jsonb_build_object('a', body) IS NULL", .one,
            ["applies a function that is not immutable to a column"]
        ),
        (
            "UPDATE leases SET epoch = $2 WHERE shard = $1 RETURNING now()", .one,
            ["has a function in RETURNING that is not immutable"]
        ),
        (
            "UPDATE shards SET shard = $2 WHERE shard = $1", .one,
            ["changes the column that its table is distributed by"]
        ),
        (
            "UPDATE leases SET epoch = (ARRAY[1, 2])[checkpoint::integer] WHERE shard = $1", .one,
            ["assigns an array element in SET"]
        ),
        (
            """
            INSERT INTO leases (shard) VALUES ($1)
            ON CONFLICT (shard) DO UPDATE SET released_at = now() WHERE leases.epoch = 1
            """,
            .one, ["has a function in ON CONFLICT that is not immutable"]
        ),
        (
            "INSERT INTO leases (shard, epoch) VALUES ($1, (SELECT max(head) FROM shards WHERE shard = $1))", .one,
            ["has a subquery among the values of INSERT"]
        ),
        ("INSERT INTO leases (shard) SELECT number FROM generate_series(0, 255) AS number", .all, []),
        (
            "INSERT INTO leases (shard, epoch) SELECT s.shard, e FROM shards AS s, unnest($2::bigint[]) AS e "
                + "WHERE s.shard = $1",
            .one, []
        ),
        (
            "INSERT INTO leases (shard, epoch) SELECT $1, e FROM unnest($2::bigint[]) AS e", .one,
            ["inserts rows of a function without a row of their shard"]
        ),
    ]

    @Test func `the rules detect violations`() async throws {
        try await StatementAnalyzer.with { analyzer in
            let statements = Self.examples.enumerated().map { Statement("example \($0)", $1.sql) }
            let trees = try await analyzer.trees(of: statements)
            for (statement, example) in zip(statements, Self.examples) {
                let rules = DistributionRules(try #require(trees[statement.name]), in: analyzer.catalogue)
                #expect(rules.reach == example.reach, "\(example.sql)")
                #expect(rules.faults == example.faults, "\(example.sql)")
            }
        }
    }
}
