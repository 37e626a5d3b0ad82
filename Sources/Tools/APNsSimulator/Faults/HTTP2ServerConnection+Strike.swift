import HTTP2Transport

extension HTTP2ServerConnection {
    /// Answers a request, unless something goes wrong on demand.
    ///
    /// `timer` delays what is to come late.
    /// - Returns: the answer, when it is to be given now.
    func answer(
        _ streamID: Int32,
        with response: HTTP2Response,
        unless strike: FaultBook.Strike?,
        by timer: APNsSimulator.Timer
    ) -> HTTP2Response? {
        guard let strike else { return response }
        switch strike.deed {
        case nil, .latency, .oneStream, .refusal:
            guard strike.delay > .zero else { return response }
            timer(strike.delay) { self.respond(streamID, with: response) }
        case .goAway(let reason):
            // Everything before this stream was processed; streams of clients have odd numbers.
            goAway(lastStreamID: max(0, streamID - 2), debugData: reason.body(deadSince: nil))
        case .reset(.internalError):
            reset(streamID, errorCode: HTTP2ErrorCode.internalError)
        case .reset(.refusedStream):
            reset(streamID, errorCode: HTTP2ErrorCode.refusedStream)
        case .lostAnswer, .connectionDrop:
            close()
        case .stall:
            break
        }
        return nil
    }
}
