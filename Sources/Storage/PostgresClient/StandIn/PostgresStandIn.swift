/// A stand-in for a PostgreSQL server that executes a pool's statements, for simulations.
///
/// A stand-in receives statements by name and with encoded parameters, as a server does, so all code between the pool's
/// user and the wire runs unchanged.
package protocol PostgresStandIn: Sendable {
    /// Opens a session for one borrower.
    /// - Parameter isTransaction: whether all statements of the borrower form one transaction.
    /// - Returns: the session.
    /// - Throws: ``PostgresError`` if no session is available.
    func session(isTransaction: Bool) async throws(PostgresError) -> any PostgresStandInSession
}

/// A borrowed session of a ``PostgresStandIn``.
package protocol PostgresStandInSession: Sendable {
    /// Runs statements in order, followed by COMMIT in the same round trip if `committing`.
    func run(_ queries: [PostgresQuery], committing: Bool) async throws(PostgresError) -> [PostgresRows]
    /// Commits a transaction that its last statements have not committed. Does nothing outside a transaction.
    func commit() async throws(PostgresError)
    /// Rolls back uncommitted changes.
    func rollBack() async
}

extension PostgresStandInSession {
    func lend<Result: Sendable>(
        _ connection: PostgresConnection,
        to body: (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        let result: Result
        do {
            result = try await body(connection)
        } catch {
            await rollBack()
            throw error
        }
        try await commit()
        return result
    }
}

/// One encoded row of a stand-in's result.
package struct PostgresRowDraft: Sendable {
    let types: [PostgresType]
    let values: PostgresBuffer

    /// Creates a row from its column values, in order.
    package init<each Value: PostgresEncodable>(_ columns: repeat each Value) {
        (types, values) = PostgresBuffer.encode(repeat each columns)
    }
}

extension PostgresQuery {
    /// Decodes the parameters as a server would, for stand-ins.
    /// - Parameter types: one for each parameter; an optional type if the parameter may be NULL.
    /// - Returns: a tuple.
    package func parameters<each Value: PostgresDecodable>(_ types: repeat (each Value).Type) -> (repeat each Value) {
        let row = PostgresRow(statement: statement.name, values: .standIn(PostgresRowDraft(of: self)))
        do {
            return try row.decode(repeat each types)
        } catch {
            preconditionFailure("the stand-in expects other parameters of \(statement.name): \(error)")
        }
    }
}

extension PostgresRowDraft {
    /// Creates a row from the parameters of a query.
    fileprivate init(of query: PostgresQuery) {
        types = query.types
        values = query.parameters
    }
}
