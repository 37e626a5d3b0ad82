import Synchronization

/// One client's connection, as a request handler sees it.
///
/// It may be used from any thread. What is asked of it happens on the server's thread, in the order of asking, and
/// after the answer that the handler is just giving; when the connection is gone, nothing happens.
public final class HTTP2ServerConnection: Sendable, Identifiable {
    /// Counts the server's connections, from 1.
    public let id: Int

    private let listener: LoopBound<HTTP2Listener>
    /// Requests on streams above it are not processed any more.
    private let lastStreamID = Mutex(Int32.max)

    init(id: Int, listener: LoopBound<HTTP2Listener>) {
        self.id = id
        self.listener = listener
    }

    /// Answers a request that the handler left open.
    ///
    /// Nothing happens when its stream is closed.
    public func respond(_ streamID: Int32, with response: HTTP2Response) {
        perform { $0.respond(streamID, with: response) }
    }

    /// Tells the client how many streams it may have open from now on.
    public func setMaxConcurrentStreams(_ limit: Int) {
        precondition(limit >= 0, "a limit is not negative")
        perform { $0.setMaxConcurrentStreams(limit) }
    }

    /// Says GOAWAY: the client opens no more streams here, and the connection ends after the last of those it has.
    ///
    /// From the call on no handler hears of requests that are dropped so, even those that are read already.
    /// - Parameters:
    ///   - lastStreamID: streams above it are dropped as not processed; nil: none is.
    ///   - errorCode: `HTTP2ErrorCode.noError` for an orderly end.
    ///   - debugData: what to tell the client; APNs puts JSON with a `reason` there.
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

    /// Closes the connection at once, in the middle of whatever is under way.
    ///
    /// From the call on no handler hears of its requests, even those that are read already.
    public func close() {
        endProcessing(after: 0)
        perform { $0.close() }
    }

    /// Whether a request on that stream is still to be processed.
    func processes(_ streamID: Int32) -> Bool {
        lastStreamID.withLock { streamID <= $0 }
    }

    /// What is asked of the connection happens after the requests that were read together with the present one: they
    /// must not be processed in between, since the client may send them again.
    private func endProcessing(after streamID: Int32) {
        lastStreamID.withLock { $0 = min($0, streamID) }
    }

    private func perform(_ action: @escaping @Sendable (HTTP2ServerPeer) -> Void) {
        listener.run { [id] listener, _ in
            if let peer = listener.peer(id) { action(peer) }
        }
    }
}
