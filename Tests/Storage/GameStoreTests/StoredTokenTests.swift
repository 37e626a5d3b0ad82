import PostgresClient
import Testing

@testable import GameStore

/// The stored form of players' and operators' secrets.
@Suite struct StoredTokenTests {
    /// Comparing a secret byte by byte would reveal by its duration how much of a guess is right.
    ///
    /// No secret is compared here: the SHA-256 of the received token is looked up, so measuring the look-up reveals
    /// only digests.
    @Test func `tokens are stored and looked up as digests, never compared`() async throws {
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
                    // Device tokens for APNs, which are sent unchanged.
                    "activities.push_token bytea", "activities.token_registered_at timestamp with time zone",
                    // When the token was issued, which is no secret.
                    "apple_accounts.token_issued_at timestamp with time zone",
                    "devices.alert_token bytea", "devices.push_to_start_token bytea",
                    "devices.widget_token bytea",
                    "operators.token_hash bytea", "player_tokens.token_hash bytea",
                    // Mixed into the choice of a shard, and never compared.
                    "players.shard_secret bytea",
                ]
            )
        }
        for statement in [OperatorStatements.find, PlayerStatements.findToken] {
            #expect(statement.sql.contains(/WHERE [a-z.]*token_hash = \$1/), "\(statement.sql)")
        }
        #expect(RecoveryCodeStatements.find.sql.hasSuffix("WHERE code_hash = $1"))
        #expect(RegistrationStatements.read.sql.hasSuffix("WHERE key_hash = $1"))
    }
}
