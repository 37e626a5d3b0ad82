import Glibc

/// The owner of a link, which handles its events.
protocol HTTP2LinkOwner: AnyObject {
    /// Called when the TLS handshake is complete, with `h2` negotiated.
    func linkSecured(_ link: HTTP2Link)
    /// Called when bytes have arrived from the peer, with or without events.
    func linkReceivedBytes(_ link: HTTP2Link)
    /// Called with the events of the session, at least one; sending can cause events as well.
    func link(_ link: HTTP2Link, reported events: [HTTP2SessionEvent])
    /// Called when all output that is ready has been written.
    func linkFlushed(_ link: HTTP2Link)
    /// Called when the peer or an error has closed the link; the last call.
    ///
    /// Not called when the owner closes the link.
    func link(_ link: HTTP2Link, ended end: HTTP2ConnectionEnd)
}

/// One socket with its TLS and its HTTP/2 session.
///
/// The link moves bytes; its owner makes all decisions. It writes output once at the end of each turn of the loop, in
/// pieces that fill a TLS record.
final class HTTP2Link: ReadinessHandler {
    private enum State {
        case handshaking
        case open
        case closed
    }

    /// The number of bytes after which a TLS record is written.
    ///
    /// A record can carry 16 KiB; the difference is for the frame that crosses the threshold. Smaller writes cost up to
    /// half more time; larger ones gain nothing.
    private static let recordThreshold = 15_500
    private static let readBufferBytes = 16 * 1024
    /// The maximum number of reads, of at most one record each, for each `bytesPerTurn`.
    private static let readsPerTurn = 16
    /// The maximum factor for `bytesPerTurn` during a burst; longer turns reduce the cost of long bursts.
    private static let maxReadFactor = 8

    /// The maximum number of reads after a failed write.
    ///
    /// It exceeds the number of records that the kernel buffers for a socket, and bounds the reads from a peer that
    /// keeps sending.
    private static let maxFinalReads = 4096

    /// The number of bytes to read, at the beginning of a burst, before output is written.
    ///
    /// If a turn read a whole burst first, this side and the peer would wait for each other in turn, and round trips
    /// would grow by the duration of the burst. A full record holds hundreds of responses, or a few requests.
    private var bytesPerTurn: Int {
        switch session.role {
        case .client: Self.recordThreshold
        case .server: 2 * Self.recordThreshold
        }
    }

    /// The session to submit messages to; call `wantsToWrite` afterwards.
    let session: HTTP2Session

    private let socket: Descriptor
    private let tls: TLSStream
    private let selector: Selector
    private unowned let owner: any HTTP2LinkOwner
    private var state = State.handshaking
    private var input = [UInt8](repeating: 0, count: readBufferBytes)
    private var output: [UInt8] = []
    /// The factor for `bytesPerTurn` in this turn.
    private var readFactor = 1
    /// The number of bytes of `output` that were written.
    private var written = 0
    /// The events of the last report; kept for its capacity.
    private var events: [HTTP2SessionEvent] = []
    private var isWatchingWritable = false
    private var isTurnEndRequested = false

    /// Creates a link over a connected socket; its owner must close it before releasing it.
    init(
        socket: Descriptor,
        tls: TLSStream,
        session: HTTP2Session,
        selector: Selector,
        owner: any HTTP2LinkOwner
    ) {
        self.socket = socket
        self.tls = tls
        self.session = session
        self.selector = selector
        self.owner = owner
    }

    /// Whether the socket's send buffer is full.
    var isWriteBlocked: Bool { isWatchingWritable }

    /// Starts watching the socket, and the TLS handshake.
    func start() {
        selector.add(socket.rawValue, handler: self)
        ready()
    }

    /// Schedules a write of the session's output at the end of this turn.
    func wantsToWrite() {
        guard !isTurnEndRequested else { return }
        isTurnEndRequested = true
        selector.atEndOfTurn { [self] in
            isTurnEndRequested = false
            if case .open = state { flush() }
        }
    }

    /// Closes the socket at once.
    func close() {
        if case .closed = state { return }
        if case .open = state { tls.close() }
        state = .closed
        selector.remove(socket.rawValue)
        // The peer sees the end now, even if this object is still referenced.
        _ = shutdown(socket.rawValue, CInt(SHUT_RDWR))
    }

    func ready() {
        switch state {
        case .handshaking: handshake()
        case .open:
            receive()
            wantsToWrite()
        case .closed: break
        }
    }

    private func handshake() {
        switch tls.handshake() {
        case .done:
            guard tls.speaksHTTP2 else { return end(.notHTTP2) }
            state = .open
            watchWritable(false)
            owner.linkSecured(self)
            // OpenSSL may already hold data that arrived with the last handshake message.
            ready()
        case .wantsRead: watchWritable(false)
        case .wantsWrite: watchWritable(true)
        case .closed: end(.handshakeFailed("the peer closed the connection"))
        case .failed(let reason): end(.handshakeFailed(reason))
        }
    }

    /// Reads until the socket is empty or the limit of the turn is reached, and reports events after each read.
    private func receive() {
        var bytes = 0
        for _ in 0..<Self.readsPerTurn * readFactor where bytes < bytesPerTurn * readFactor {
            guard case .open = state else { return }
            let (progress, failure) = readRecord()
            if case .done = progress { owner.linkReceivedBytes(self) }
            report()
            if let failure { return end(.protocolError(failure.reason)) }
            switch progress {
            case .done(let count): bytes += count
            case .wantsRead, .wantsWrite:
                readFactor = 1
                return
            case .closed: return end(.lost("the peer closed it"))
            case .failed(let reason): return end(.lost(reason))
            }
        }
        readFactor = min(readFactor + 1, Self.maxReadFactor)
        if case .open = state { selector.continueReading(socket.rawValue) }
    }

    /// Reads the bytes that the peer sent before a write failed (responses, perhaps GOAWAY), and ends the link.
    private func endAfterReading(_ reason: String) {
        for _ in 0..<Self.maxFinalReads {
            guard case .open = state else { return }
            let (progress, failure) = readRecord()
            report()
            guard case .done = progress, failure == nil else { break }
        }
        end(.lost(reason))
    }

    private func readRecord() -> (TLSStream.Progress, HTTP2Session.Failure?) {
        unsafe input.withUnsafeMutableBytes { buffer in
            let progress = unsafe tls.read(into: buffer)
            guard case .done(let count) = progress else { return (progress, nil) }
            do throws(HTTP2Session.Failure) {
                unsafe try session.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return (progress, nil)
            } catch {
                return (progress, error)
            }
        }
    }

    private func flush() {
        do throws(HTTP2Session.Failure) {
            while try fillOutput() {
                switch writeRecord() {
                case .done(let count):
                    written += count
                case .wantsRead: return watchWritable(false)
                case .wantsWrite:
                    // A flooding peer that does not even read gets no GOAWAY.
                    if let reason = session.floodReason { return end(.protocolError(reason)) }
                    return watchWritable(true)
                case .closed: return endAfterReading("the peer closed it")
                case .failed(let reason): return endAfterReading(reason)
                }
            }
        } catch {
            return end(.protocolError(error.reason))
        }
        watchWritable(false)
        owner.linkFlushed(self)
        report()
        // A session ends after nghttp2 has sent GOAWAY for a violation, and after our own GOAWAY and the last stream.
        if case .open = state, !session.isActive {
            end(.protocolError(session.floodReason ?? "the HTTP/2 session is over"))
        }
    }

    /// Fills `output` up to the threshold of a record.
    ///
    /// - Returns: false if there is nothing to write.
    private func fillOutput() throws(HTTP2Session.Failure) -> Bool {
        if output.count - written < Self.recordThreshold {
            // The rest of the last record begins the next one.
            output.removeFirst(written)
            written = 0
            try session.nextFrames(into: &output, threshold: Self.recordThreshold)
        }
        return !output.isEmpty
    }

    private func writeRecord() -> TLSStream.Progress {
        unsafe output.withUnsafeBytes { bytes in
            unsafe tls.write(UnsafeRawBufferPointer(rebasing: bytes[written...]))
        }
    }

    private func report() {
        session.takeEvents(into: &events)
        if !events.isEmpty { owner.link(self, reported: events) }
    }

    private func watchWritable(_ writable: Bool) {
        guard case .closed = state else {
            if writable != isWatchingWritable { selector.setWritable(socket.rawValue, writable) }
            isWatchingWritable = writable
            return
        }
    }

    private func end(_ reason: HTTP2ConnectionEnd) {
        if case .closed = state { return }
        close()
        owner.link(self, ended: reason)
    }
}
