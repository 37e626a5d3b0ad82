/// What answers a pool's statements in the place of a server: for simulations of all that uses a pool.
///
/// It sees statements as a server does, by name and with encoded parameters, so whatever lies between the pool's user and
/// the wire runs as it always does.
package protocol PostgresStandIn: Sendable {
    /// A session for one borrower.
    /// - Parameter isTransaction: whether everything that the borrower runs is one transaction.
    /// - Returns: the session.
    /// - Throws: ``PostgresError`` when there is none to be had.
    func session(isTransaction: Bool) async throws(PostgresError) -> any PostgresStandInSession
}

/// One borrowing of a session with a ``PostgresStandIn``.
package protocol PostgresStandInSession: Sendable {
    /// Runs statements in order; COMMIT follows them in the same round trip where asked for.
    func run(_ queries: [PostgresQuery], committing: Bool) async throws(PostgresError) -> [PostgresRows]
    /// Ends a transaction that was not committed with its last statements; nothing outside a transaction.
    func commit() async throws(PostgresError)
    /// Undoes what was not committed.
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

/// One row of a stand-in's answer, encoded.
package struct PostgresRowDraft: Sendable {
    let types: [PostgresType]
    let values: PostgresBuffer

    /// A row of these columns, in order.
    package init<each Value: PostgresEncodable>(_ columns: repeat each Value) {
        var buffer = PostgresBuffer()
        var types: [PostgresType] = []
        for value in repeat each columns {
            types.append(type(of: value).postgresType)
            buffer.appendField(value)
        }
        self.types = types
        self.values = buffer
    }
}

extension PostgresQuery {
    /// Reads the parameters as a server would: for stand-ins.
    /// - Parameter types: one for each parameter; an optional type where one may be NULL.
    /// - Returns: a tuple.
    package func parameters<each Value: PostgresDecodable>(_ types: repeat (each Value).Type) -> (repeat each Value) {
        let row = PostgresRow(statement: statement.name, result: ResultHandle([PostgresRowDraft(of: self)]), index: 0)
        do {
            return try row.decode(repeat each types)
        } catch {
            preconditionFailure("a stand-in takes the parameters of \(statement.name) for something else: \(error)")
        }
    }
}

extension PostgresRowDraft {
    /// The parameters of a query, as a row.
    fileprivate init(of query: PostgresQuery) {
        types = query.types
        values = query.parameters
    }
}
