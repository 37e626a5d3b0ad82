import PostgresClient
import Testing

@testable import GameStore

/// What is stored of the secrets by which players and operators are known.
@Suite struct StoredTokenTests {
    /// Comparing a secret byte by byte tells by its time how much of a guess is right.
    ///
    /// Here nothing is compared: SHA-256 of what was sent is looked up, and whoever could measure that look-up learns of
    /// digests, which are no tokens.
    @Test func `tokens are stored and looked up as digests, and compared with nothing`() async throws {
        try await withStore { _, pool in
            let columns = """
                SELECT (table_name || '.' || column_name || ' ' || data_type) COLLATE "C"
                FROM information_schema.columns
                WHERE table_schema = current_schema() AND column_name ~ 'token|secret|password'
                ORDER BY 1
                """
            let found = try await pool.query(PostgresQuery(Statement("test.columns", columns))).map {
                try $0.decode(String.self)
            }
            #expect(
                found == [
                    // Phones' addresses at APNs, which are sent on as they are.
                    "activities.push_token bytea", "activities.token_registered_at timestamp with time zone",
                    "operators.token_hash bytea", "player_tokens.token_hash bytea", "push_to_start.push_token bytea",
                ]
            )
        }
        for statement in [OperatorStatements.find, PlayerStatements.findToken] {
            #expect(statement.sql.contains(/WHERE [a-z.]*token_hash = \$1/), "\(statement.sql)")
        }
    }
}
