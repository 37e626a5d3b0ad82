import HTTP2Transport

extension HTTP2ServerConnection {
    /// Applies the injected faults to a response.
    /// - Parameters:
    ///   - injection: the faults to apply; nil for none.
    ///   - response: the response without faults.
    ///   - streamID: the request's stream.
    ///   - timer: delays late responses.
    /// - Returns: the response to send now; nil when it is sent later or not at all.
    func apply(
        _ injection: PushFaultInjector.Injection?,
        to response: HTTP2Response,
        on streamID: Int32,
        timer: APNsSimulator.Timer
    ) -> HTTP2Response? {
        guard let injection else { return response }
        switch injection.effect {
        case nil, .latency, .oneStream, .rejection:
            guard injection.delay > .zero else { return response }
            timer(injection.delay) { self.respond(streamID, with: response) }
        case .goAway(let reason):
            // All earlier streams were processed. Client streams have odd numbers, so the last one is two less.
            goAway(lastStreamID: max(0, streamID - 2), debugData: reason.body(invalidSince: nil))
        case .reset(.internalError):
            reset(streamID, errorCode: HTTP2ErrorCode.internalError)
        case .reset(.refusedStream):
            reset(streamID, errorCode: HTTP2ErrorCode.refusedStream)
        case .lostResponse, .connectionDrop:
            close()
        case .stall:
            break
        }
        return nil
    }
}
