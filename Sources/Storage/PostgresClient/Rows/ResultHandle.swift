import CLibpq

/// Owns one `PGresult`.
///
/// `@unchecked Sendable` because libpq never changes a result after returning it, and its manual ("Behavior in Threaded
/// Programs") allows reading it on any thread.
@safe final class ResultHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Takes ownership of a result.
    init(taking pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe PQclear(pointer)
    }

    var status: ExecStatusType { unsafe PQresultStatus(pointer) }

    var rowCount: Int { Int(unsafe PQntuples(pointer)) }

    var columnCount: Int { Int(unsafe PQnfields(pointer)) }

    /// The server's command tag, such as `COMMIT` or `INSERT 0 1`.
    var commandTag: String {
        guard let text = unsafe PQcmdStatus(pointer) else { return "" }
        return unsafe String(cString: text)
    }

    /// The number of rows that INSERT, UPDATE, DELETE, SELECT or COPY processed; 0 for other commands.
    var affectedRows: Int {
        guard let text = unsafe PQcmdTuples(pointer) else { return 0 }
        return Int(unsafe String(cString: text)) ?? 0
    }

    func columnName(_ column: Int) -> String {
        guard let name = unsafe PQfname(pointer, Int32(column)) else { return "\(column + 1)" }
        return unsafe String(cString: name)
    }

    func columnType(_ column: Int) -> PostgresType {
        PostgresType(rawValue: unsafe PQftype(pointer, Int32(column)))
    }

    func isNull(row: Int, column: Int) -> Bool {
        unsafe PQgetisnull(pointer, Int32(row), Int32(column)) != 0
    }

    /// Reads one value in place; NULL has no bytes.
    func withValue<Value>(
        row: Int,
        column: Int,
        _ read: (RawSpan) throws(PostgresValueError) -> Value
    ) throws(PostgresValueError) -> Value {
        let start = unsafe PQgetvalue(pointer, Int32(row), Int32(column))
        let count = Int(unsafe PQgetlength(pointer, Int32(row), Int32(column)))
        // The bytes live as long as the result, which `self` retains during the call.
        return try read(unsafe UnsafeRawBufferPointer(start: start, count: count).bytes)
    }

    /// Returns one field of an error report (`CLIBPQ_…`); nil if the server did not send it.
    func errorField(_ code: Int32) -> String? {
        guard let text = unsafe PQresultErrorField(pointer, code) else { return nil }
        return unsafe String(cString: text)
    }

    /// libpq's message, for errors that the server did not report.
    var errorMessage: String {
        guard let text = unsafe PQresultErrorMessage(pointer) else { return "" }
        return unsafe String(cString: text)
    }
}
