import Synchronization

/// A server's connection with one client, for request handlers.
///
/// All methods may be called on any thread. The server's thread performs their actions in order, after the response
/// that the handler is about to return. They have no effect once the connection is closed.
public final class HTTP2ServerConnection: Sendable, Identifiable {
    /// The number of the connection at the server, from 1.
    public let id: Int

    private let listener: LoopBound<HTTP2Listener>
    /// The last stream whose request is to be processed.
    private let lastStreamID = Mutex(Int32.max)

    init(id: Int, listener: LoopBound<HTTP2Listener>) {
        self.id = id
        self.listener = listener
    }

    /// Responds to a request for which the handler returned nil.
    ///
    /// Has no effect if the stream is closed.
    public func respond(_ streamID: Int32, with response: HTTP2Response) {
        perform { $0.respond(streamID, with: response) }
    }

    /// Changes the number of streams that the client may have open.
    public func setMaxConcurrentStreams(_ limit: Int) {
        precondition(limit >= 0, "a limit is not negative")
        perform { $0.setMaxConcurrentStreams(limit) }
    }

    /// Sends GOAWAY: the client opens no more streams, and the connection ends after its last open stream.
    ///
    /// The handler receives no dropped request after this call, even if it has been read already.
    /// - Parameters:
    ///   - lastStreamID: the last stream to process; later ones are dropped. Nil to drop none.
    ///   - errorCode: `HTTP2ErrorCode.noError` for a graceful end.
    ///   - debugData: debug data for the client; APNs sends JSON with a `reason`.
    public func goAway(
        lastStreamID: Int32? = nil,
        errorCode: UInt32 = HTTP2ErrorCode.noError,
        debugData: [UInt8] = []
    ) {
        if let lastStreamID { endProcessing(after: lastStreamID) }
        perform { $0.goAway(lastStreamID: lastStreamID, errorCode: errorCode, debugData: debugData) }
    }

    /// Ends one stream with RST_STREAM.
    public func reset(_ streamID: Int32, errorCode: UInt32 = HTTP2ErrorCode.internalError) {
        perform { $0.reset(streamID, errorCode: errorCode) }
    }

    /// Closes the connection at once, without completing open streams.
    ///
    /// The handler receives no request of the connection after this call, even if it has been read already.
    public func close() {
        endProcessing(after: 0)
        perform { $0.close() }
    }

    /// Returns whether the request of a stream is to be processed.
    func processes(_ streamID: Int32) -> Bool {
        lastStreamID.withLock { streamID <= $0 }
    }

    /// Drops the requests of later streams, including those that were read together with the current one.
    ///
    /// The session reports these requests before the action takes effect. They must not be processed, since the client
    /// may send them again.
    private func endProcessing(after streamID: Int32) {
        lastStreamID.withLock { $0 = min($0, streamID) }
    }

    private func perform(_ action: @escaping @Sendable (HTTP2ServerPeer) -> Void) {
        listener.run { [id] listener, _ in
            if let peer = listener.peer(id) { action(peer) }
        }
    }
}
