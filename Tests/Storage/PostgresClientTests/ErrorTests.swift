import Testing

@testable import PostgresClient

@Suite struct ErrorTests {
    @Test func `a constraint of one shard of a distributed table matches the table's constraint`() {
        func error(_ constraint: String, state: SQLState = .uniqueViolation) -> PostgresServerError {
            PostgresServerError(
                state: state,
                message: "",
                detail: nil,
                hint: nil,
                table: nil,
                column: nil,
                constraint: constraint,
                statement: "s"
            )
        }
        #expect(error("activities_pkey_102017").isViolation(of: "activities_pkey"))
        #expect(!error("activities_pkey_new").isViolation(of: "activities_pkey"))
        #expect(!error("activities_pkey_").isViolation(of: "activities_pkey"))
        #expect(!error("activities_pkey", state: .undefinedTable).isViolation(of: "activities_pkey"))
    }

    @Test func `only errors of work that may succeed when repeated are retryable`() {
        #expect(PostgresError.connectionLost(statement: nil, reason: "gone").isRetryable)
        #expect(PostgresError.cannotConnect(reason: "refused").isRetryable)
        #expect(!PostgresError.timedOut(statement: "slow", after: .seconds(1)).isRetryable)
        #expect(!PostgresError.cancelled(statement: nil).isRetryable)
        #expect(!PostgresError.poolExhausted(waited: .seconds(1)).isRetryable)
        #expect(!PostgresError.closed.isRetryable)
    }
}
