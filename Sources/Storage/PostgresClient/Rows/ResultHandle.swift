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

    /// Creates a result without a server, in binary format like all others.
    convenience init(_ rows: [PostgresRowDraft]) {
        guard let result = unsafe PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else {
            preconditionFailure("out of memory for a result")
        }
        unsafe self.init(taking: result)
        guard let types = rows.first?.types else { return }
        // libpq copies the name and all values.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1) { name in
            unsafe name.initialize(repeating: 0)
            var columns = unsafe types.map { type in
                unsafe PGresAttDesc(
                    name: name.baseAddress,
                    tableid: 0,
                    columnid: 0,
                    format: 1,
                    typid: type.rawValue,
                    typlen: -1,
                    atttypmod: -1
                )
            }
            let isSet = unsafe PQsetResultAttrs(result, Int32(types.count), &columns)
            precondition(isSet != 0, "out of memory for a result")
        }
        for (index, row) in rows.enumerated() {
            precondition(row.types == types, "the rows of a result must have the same types")
            var column: Int32 = 0
            row.values.forEachField { field in
                let isSet: Int32
                if let field {
                    var bytes = field.map { CChar(bitPattern: $0) }
                    // An empty value needs a non-null pointer: libpq takes a null pointer for NULL.
                    if bytes.isEmpty { bytes = [0] }
                    isSet = unsafe PQsetvalue(result, Int32(index), column, &bytes, Int32(field.count))
                } else {
                    isSet = unsafe PQsetvalue(result, Int32(index), column, nil, -1)
                }
                precondition(isSet != 0, "out of memory for a result")
                column += 1
            }
        }
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

    /// Reads one value in place.
    /// - Returns: the closure's result; nil for NULL.
    func withValue<Value>(
        row: Int,
        column: Int,
        _ read: (RawSpan) throws(PostgresValueError) -> Value
    ) throws(PostgresValueError) -> Value? {
        guard unsafe PQgetisnull(pointer, Int32(row), Int32(column)) == 0,
            let start = unsafe PQgetvalue(pointer, Int32(row), Int32(column))
        else { return nil }
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
