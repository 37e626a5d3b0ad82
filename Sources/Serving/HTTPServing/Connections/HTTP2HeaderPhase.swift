import Encodings

/// The part of an HTTP/2 connection's input that must arrive within the header timeout, as a value.
///
/// That is the preface, every frame other than DATA, and a header block with all of its frames (HEADERS and
/// CONTINUATION). DATA has the timeout of its request's body.
struct HTTP2HeaderPhase {
    /// What the input says about the header timeout.
    enum Progress: Hashable {
        /// Everything that began has ended.
        case complete
        /// Something new has begun to arrive: the timeout starts.
        case began
        /// What had begun before has not ended yet.
        case pending
    }

    private var reader = HTTP2FrameReader(expectsPreface: true)
    private var isInHeaderBlock = false
    /// Whether something had begun and not ended; at first the preface, since the connection was accepted.
    private var isPending = true

    /// Reads the next bytes of the client.
    /// - Parameters:
    ///   - bytes: the bytes, in any pieces.
    ///   - frameBegan: called with the header of each frame.
    /// - Returns: the state after the bytes.
    mutating func read(_ bytes: UnsafeRawBufferPointer, frameBegan: (HTTP2FrameHeader) -> Void) -> Progress {
        var hasEnded = false
        var isInHeaderBlock = self.isInHeaderBlock
        reader.read(bytes) { event in
            switch event {
            case .prefaceEnded: hasEnded = true
            case .frameBegan(let header):
                if header.kind == HTTP2FrameHeader.Kind.headers { isInHeaderBlock = true }
                frameBegan(header)
            case .frameEnded(let header):
                if header.endsHeaderBlock { isInHeaderBlock = false }
                hasEnded = hasEnded || !isInHeaderBlock
            }
        }
        self.isInHeaderBlock = isInHeaderBlock
        let isInData = reader.currentFrame?.kind == HTTP2FrameHeader.Kind.data
        guard isInHeaderBlock || (reader.isWithinUnit && !isInData) else {
            isPending = false
            return .complete
        }
        defer { isPending = true }
        return isPending && !hasEnded ? .pending : .began
    }
}

extension HTTP2FrameHeader {
    fileprivate var endsHeaderBlock: Bool {
        (kind == Kind.headers || kind == Kind.continuation) && has(Flag.endHeaders)
    }
}
