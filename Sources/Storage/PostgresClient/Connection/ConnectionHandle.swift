import CLibpq

/// Owns one `PGconn`; one method per function of libpq that is used.
///
/// Not `Sendable`: the compiler keeps it inside its ``Session`` and so on the session's thread.
@safe final class ConnectionHandle {
    /// What libpq waits for while it connects.
    enum ConnectionProgress {
        case waiting(Readiness)
        case connected
        case failed
    }

    private let pointer: OpaquePointer

    /// Begins to connect; name resolution blocks the thread here.
    init(connectingTo target: ConnectionTarget) throws(PostgresError) {
        let options = target.options
        let started = unsafe withCStrings(options.map(\.keyword)) { keywords in
            unsafe withCStrings(options.map(\.value)) { values in
                unsafe PQconnectStartParams(keywords.baseAddress, values.baseAddress, 1)
            }
        }
        guard let started = unsafe started else { throw .cannotConnect(reason: "out of memory") }
        unsafe pointer = unsafe started
        // Notices ("relation exists, skipping") would otherwise be printed to standard error.
        unsafe PQsetNoticeReceiver(pointer, { _, _ in }, nil)
    }

    deinit {
        unsafe PQfinish(pointer)
    }

    /// Goes on connecting; called again after each wait.
    func proceedConnecting() -> ConnectionProgress {
        switch unsafe PQconnectPoll(pointer) {
        case PGRES_POLLING_READING: .waiting(.readable)
        case PGRES_POLLING_WRITING: .waiting(.writable)
        case PGRES_POLLING_OK: .connected
        default: .failed
        }
    }

    /// Changes while connecting to one of several hosts, never afterwards.
    var socket: Int32 { unsafe PQsocket(pointer) }

    /// Whether the connection can still be used.
    var isUsable: Bool { unsafe PQstatus(pointer) == CONNECTION_OK }

    var transactionStatus: PGTransactionStatusType { unsafe PQtransactionStatus(pointer) }

    /// libpq's sentence about the last failure, on one line.
    var errorMessage: String {
        guard let text = unsafe PQerrorMessage(pointer) else { return "" }
        return unsafe String(cString: text).onOneLine
    }

    /// Makes sending return instead of block.
    func setNonBlocking() -> Bool { unsafe PQsetnonblocking(pointer, 1) == 0 }

    /// What cancels this connection's statement; nil when libpq is out of memory.
    func cancelHandle() -> CancelHandle? {
        guard let cancel = unsafe PQgetCancel(pointer) else { return nil }
        return unsafe CancelHandle(taking: cancel)
    }

    // MARK: Receiving

    /// Takes in what the socket has; false when the connection is lost.
    func consumeInput() -> Bool { unsafe PQconsumeInput(pointer) == 1 }

    /// Whether `nextResult` would block.
    var isBusy: Bool { unsafe PQisBusy(pointer) == 1 }

    /// The next result, nil at the end of a statement's.
    func nextResult() -> ResultHandle? {
        guard let result = unsafe PQgetResult(pointer) else { return nil }
        return unsafe ResultHandle(taking: result)
    }

    // MARK: Sending; false when libpq refuses

    /// Sends what libpq has gathered; nil when the connection is lost.
    /// - Returns: whether something is left to send.
    func flush() -> Bool? {
        switch unsafe PQflush(pointer) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    func enterPipelineMode() -> Bool { unsafe PQenterPipelineMode(pointer) == 1 }

    func exitPipelineMode() -> Bool { unsafe PQexitPipelineMode(pointer) == 1 }

    func sendPipelineSync() -> Bool { unsafe PQpipelineSync(pointer) == 1 }

    func sendPrepare(_ query: PostgresQuery) -> Bool {
        unsafe PQsendPrepare(
            pointer,
            query.statement.name,
            query.statement.sql,
            Int32(query.types.count),
            query.types.map(\.rawValue)
        ) == 1
    }

    /// Runs a prepared statement; results come in binary.
    func sendPrepared(_ query: PostgresQuery) -> Bool {
        unsafe query.withParameters { values, lengths, formats in
            unsafe PQsendQueryPrepared(
                pointer,
                query.statement.name,
                Int32(query.types.count),
                values.baseAddress,
                lengths.baseAddress,
                formats.baseAddress,
                1
            ) == 1
        }
    }

    /// Runs a statement that is not prepared; results come in binary.
    func sendUnprepared(_ query: PostgresQuery) -> Bool {
        unsafe query.withParameters { values, lengths, formats in
            unsafe PQsendQueryParams(
                pointer,
                query.statement.sql,
                Int32(query.types.count),
                query.types.map(\.rawValue),
                values.baseAddress,
                lengths.baseAddress,
                formats.baseAddress,
                1
            ) == 1
        }
    }

    /// Runs any number of statements without parameters by the simple protocol.
    func sendScript(_ sql: String) -> Bool { unsafe PQsendQuery(pointer, sql) == 1 }

    /// Queues a part of a COPY; nil when the connection is lost.
    /// - Returns: false when libpq has no room before it has sent more.
    func putCopyData(_ bytes: Span<UInt8>) -> Bool? {
        let result = unsafe bytes.withUnsafeBytes { bytes in
            unsafe PQputCopyData(pointer, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        switch result {
        case 0: return false
        case 1: return true
        default: return nil
        }
    }

    /// Queues the end of a COPY; nil when the connection is lost.
    /// - Returns: false when libpq has no room before it has sent more.
    func putCopyEnd() -> Bool? {
        switch unsafe PQputCopyEnd(pointer, nil) {
        case 0: false
        case 1: true
        default: nil
        }
    }
}

extension PostgresQuery {
    /// Lends the parameters as the three arrays that libpq takes them in.
    fileprivate func withParameters<Result>(
        _ body: (
            UnsafeBufferPointer<UnsafePointer<CChar>?>, UnsafeBufferPointer<Int32>, UnsafeBufferPointer<Int32>
        ) -> Result
    ) -> Result {
        let binaryFormat: Int32 = 1
        let lengths = parameters.fieldLengths
        let formats = [Int32](repeating: binaryFormat, count: lengths.count)
        return unsafe parameters.bytes.withUnsafeBytes { bytes in
            var offset = 0
            var values: [UnsafePointer<CChar>?] = unsafe []
            for length in lengths {
                offset += MemoryLayout<Int32>.size
                guard length != PostgresBuffer.nullLength else {
                    unsafe values.append(nil)
                    continue
                }
                let value = unsafe bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
                unsafe values.append(value)
                offset += Int(length)
            }
            return unsafe values.withUnsafeBufferPointer { values in
                unsafe lengths.withUnsafeBufferPointer { lengths in
                    unsafe formats.withUnsafeBufferPointer { formats in
                        unsafe body(values, lengths, formats)
                    }
                }
            }
        }
    }
}

/// Lends texts as the array of C strings, closed by a null pointer, that libpq takes.
private func withCStrings<Result>(
    _ texts: [String],
    _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    var starts: [Int] = []
    var bytes: [CChar] = []
    for text in texts {
        starts.append(bytes.count)
        bytes.append(contentsOf: text.utf8CString)
    }
    return unsafe bytes.withUnsafeBufferPointer { bytes in
        let pointers = unsafe starts.map { start in unsafe bytes.baseAddress?.advanced(by: start) } + [nil]
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0) }
    }
}

extension String {
    /// The text with its lines joined by "; " and without empty ones.
    fileprivate var onOneLine: String {
        split(whereSeparator: \.isNewline).map { $0.drop { $0 == "\t" || $0 == " " } }.joined(separator: "; ")
    }
}
