import CLibpq

/// Owns one `PGconn`, with one method per libpq function in use.
///
/// Not `Sendable`: the compiler confines it to its ``PostgresSession`` and so to the session's thread.
@safe final class ConnectionHandle {
    /// The progress of connecting.
    enum ConnectionProgress {
        case waiting(SocketEvents)
        case connected
        case failed
    }

    private let pointer: OpaquePointer
    private let notices = Notices()

    /// Starts connecting.
    ///
    /// Name resolution blocks the thread here.
    init(connectingTo target: ConnectionTarget) throws(PostgresError) {
        let options = target.options
        let started = unsafe withCStrings(options.map(\.keyword)) { keywords in
            unsafe withCStrings(options.map(\.value)) { values in
                unsafe PQconnectStartParams(keywords.baseAddress, values.baseAddress, 1)
            }
        }
        guard let started = unsafe started else { throw .cannotConnect(reason: "out of memory") }
        unsafe pointer = unsafe started
        // The default receiver prints notices ("relation exists, skipping") to standard error. `notices` lives as long as
        // the connection.
        unsafe PQsetNoticeReceiver(
            pointer,
            { context, notice in
                guard let context = unsafe context,
                    let function = unsafe PQresultErrorField(notice, CLIBPQ_SOURCE_FUNCTION),
                    unsafe String(cString: function) == Notices.waitForStandby
                else { return }
                unsafe Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().hasUnreplicatedCommit = true
            },
            Unmanaged.passUnretained(notices).toOpaque()
        )
    }

    deinit {
        unsafe PQfinish(pointer)
    }

    /// Continues connecting.
    ///
    /// Called again after each wait.
    func proceedConnecting() -> ConnectionProgress {
        switch unsafe PQconnectPoll(pointer) {
        case PGRES_POLLING_READING: .waiting(.readable)
        case PGRES_POLLING_WRITING: .waiting(.writable)
        case PGRES_POLLING_OK: .connected
        default: .failed
        }
    }

    /// The socket.
    ///
    /// It may change while libpq tries several hosts, but not after connecting.
    var socket: Int32 { unsafe PQsocket(pointer) }

    /// Whether the connection can be used.
    var isUsable: Bool { unsafe PQstatus(pointer) == CONNECTION_OK }

    var transactionStatus: PGTransactionStatusType { unsafe PQtransactionStatus(pointer) }

    /// libpq's message about the last failure, on one line.
    var errorMessage: String {
        guard let text = unsafe PQerrorMessage(pointer) else { return "" }
        return unsafe String(cString: text).onOneLine
    }

    /// Makes send calls return instead of blocking.
    func setNonBlocking() -> Bool { unsafe PQsetnonblocking(pointer, 1) == 0 }

    /// Returns a handle that cancels this connection's statement.
    ///
    /// Nil if the connection is encrypted and the request would not be (libpq before version 17), since it carries the
    /// session's key; or if libpq is out of memory. The caller closes the connection then.
    func cancelHandle() -> CancelHandle? {
        guard let cancel = unsafe clibpq_cancel_create(pointer) else { return nil }
        return unsafe CancelHandle(taking: cancel)
    }

    /// Returns whether the server has reported since the last call that it has committed without the confirmation of a
    /// synchronous standby.
    func takeUnreplicatedCommit() -> Bool {
        defer { notices.hasUnreplicatedCommit = false }
        return notices.hasUnreplicatedCommit
    }

    // MARK: Receiving

    /// Reads the bytes available on the socket.
    /// - Returns: false if the connection is lost.
    func consumeInput() -> Bool { unsafe PQconsumeInput(pointer) == 1 }

    /// Whether `nextResult` would block.
    var isBusy: Bool { unsafe PQisBusy(pointer) == 1 }

    /// Returns the next result; nil at the end of a statement's results.
    func nextResult() -> ResultHandle? {
        guard let result = unsafe PQgetResult(pointer) else { return nil }
        return unsafe ResultHandle(taking: result)
    }

    // MARK: Sending. Each function returns false if libpq rejects the call.

    /// Sends buffered output.
    /// - Returns: whether output is left in the buffer; nil if the connection is lost.
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

    /// Asks the server to send the results so far.
    func sendFlushRequest() -> Bool { unsafe PQsendFlushRequest(pointer) == 1 }

    func sendPrepare(_ query: PostgresQuery) -> Bool {
        unsafe PQsendPrepare(
            pointer,
            query.statement.name,
            query.statement.sql,
            Int32(query.types.count),
            query.types.map(\.rawValue)
        ) == 1
    }

    /// Runs a prepared statement.
    ///
    /// Results are in binary format.
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

    /// Runs a statement that is not prepared.
    ///
    /// Results are in binary format.
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

    /// Runs any number of statements without parameters with the simple query protocol.
    func sendScript(_ sql: String) -> Bool { unsafe PQsendQuery(pointer, sql) == 1 }

    /// Queues a part of a COPY.
    /// - Returns: whether the data was queued; false if libpq's buffer is full and must be flushed first. Nil if the
    ///   connection is lost.
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

    /// Queues the end of a COPY.
    /// - Returns: whether the end was queued; false if libpq's buffer is full and must be flushed first. Nil if the
    ///   connection is lost.
    func putCopyEnd() -> Bool? {
        switch unsafe PQputCopyEnd(pointer, nil) {
        case 0: false
        case 1: true
        default: nil
        }
    }
}

/// What the notices of a server have said.
private final class Notices {
    /// The function of PostgreSQL that warns if the wait for a synchronous standby is cancelled, after the local commit.
    ///
    /// The SQLSTATE is that of any warning, and the text depends on the server's language.
    static let waitForStandby = "SyncRepWaitForLSN"

    var hasUnreplicatedCommit = false
}

extension PostgresQuery {
    /// Passes the parameters to a closure as the three arrays that libpq expects.
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

/// Passes strings to a closure as an array of C strings that ends with a null pointer.
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
    /// The text on one line: its non-empty lines joined by "; ".
    fileprivate var onOneLine: String {
        split(whereSeparator: \.isNewline).map { $0.drop { $0 == "\t" || $0 == " " } }.joined(separator: "; ")
    }
}
