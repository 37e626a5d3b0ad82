import Glibc

/// Who decides what happens on a link.
protocol HTTP2LinkOwner: AnyObject {
    /// TLS is up and `h2` agreed on.
    func linkSecured(_ link: HTTP2Link)
    /// Something came from the peer, whether or not there is anything to report of it.
    func linkHeard(_ link: HTTP2Link)
    /// What the session reported, never empty; it may come of what was sent.
    func link(_ link: HTTP2Link, reported events: [HTTP2SessionEvent])
    /// All that could be written now is written.
    func linkFlushed(_ link: HTTP2Link)
    /// The link is closed; nothing follows. Not called when the owner closed it.
    func link(_ link: HTTP2Link, ended end: HTTP2ConnectionEnd)
}

/// One socket with its TLS and its HTTP/2 session: moves bytes and decides nothing.
///
/// Output is written once at the end of each turn of the loop, in pieces that fill a TLS record.
final class HTTP2Link: ReadinessHandler {
    private enum State {
        case handshaking
        case open
        case closed
    }

    /// How far one TLS record is filled, of the 16 KiB that it can carry.
    ///
    /// That leaves room for the frame that crosses the mark. Smaller writes cost up to half more, larger ones
    /// gain nothing.
    private static let recordThreshold = 15_500
    private static let readBufferBytes = 16 * 1024
    /// How many reads, of a record at most, there are for each `bytesPerTurn`.
    private static let piecesPerTurn = 16
    /// How far `bytesPerTurn` grows while a burst goes on: each turn has its price, and in a long burst that counts more.
    private static let longestAppetite = 8

    /// More records than the kernel keeps for a socket, which bounds what is read from a peer that goes on sending.
    private static let lastPieces = 4096

    /// How much is read, at the beginning of a burst, before what it leads to is written.
    ///
    /// Reading a burst to its end first would have the peer wait for all of it, and then us for the peer: the round trip
    /// would grow by the time that the burst takes on each side. A full record holds hundreds of answers, or a few requests.
    private var bytesPerTurn: Int {
        switch session.role {
        case .client: Self.recordThreshold
        case .server: 2 * Self.recordThreshold
        }
    }

    /// The session, to submit to; call `wantsToWrite` afterwards.
    let session: HTTP2Session

    private let socket: Descriptor
    private let tls: TLSStream
    private let selector: Selector
    private unowned let owner: any HTTP2LinkOwner
    private var state = State.handshaking
    private var input = [UInt8](repeating: 0, count: readBufferBytes)
    private var output: [UInt8] = []
    /// How many times `bytesPerTurn` is read in this turn.
    private var appetite = 1
    /// How much of `output` is written.
    private var written = 0
    /// What was reported last; kept for its capacity.
    private var events: [HTTP2SessionEvent] = []
    private var isWatchingWritable = false
    private var isTurnEndRequested = false

    /// A link over a connected socket; its owner closes it before it goes.
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

    /// Whether the socket takes nothing more for now.
    var isStuck: Bool { isWatchingWritable }

    /// Begins to watch the socket and to shake hands.
    func start() {
        selector.add(socket.rawValue, handler: self)
        advance()
    }

    /// Has the session's output written at the end of this turn.
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
        // The peer sees the end now, also while something still holds this object.
        _ = shutdown(socket.rawValue, CInt(SHUT_RDWR))
    }

    func ready() {
        advance()
    }

    private func advance() {
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
            // What the peer sent along with its last handshake message is in OpenSSL already.
            advance()
        case .wantsRead: watchWritable(false)
        case .wantsWrite: watchWritable(true)
        case .closed: end(.handshakeFailed("the peer closed the connection"))
        case .failed(let reason): end(.handshakeFailed(reason))
        }
    }

    /// Reads until the socket is empty or it is time to write, and reports after each piece.
    private func receive() {
        var bytes = 0
        for _ in 0..<Self.piecesPerTurn * appetite where bytes < bytesPerTurn * appetite {
            guard case .open = state else { return }
            let (progress, failure) = readPiece()
            if case .done = progress { owner.linkHeard(self) }
            report()
            if let failure { return end(.protocolError(failure.reason)) }
            switch progress {
            case .done(let count): bytes += count
            case .wantsRead, .wantsWrite:
                appetite = 1
                return
            case .closed: return end(.lost("the peer closed it"))
            case .failed(let reason): return end(.lost(reason))
            }
        }
        appetite = min(appetite + 1, Self.longestAppetite)
        if case .open = state { selector.continueReading(socket.rawValue) }
    }

    /// Ends a link that takes nothing more, after what the peer sent before: answers, and perhaps why it ends.
    private func endAfterReading(_ reason: String) {
        for _ in 0..<Self.lastPieces {
            guard case .open = state else { return }
            let (progress, failure) = readPiece()
            report()
            guard case .done = progress, failure == nil else { break }
        }
        end(.lost(reason))
    }

    private func readPiece() -> (TLSStream.Progress, HTTP2Session.Failure?) {
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
                switch writePiece() {
                case .done(let count):
                    written += count
                case .wantsRead: return watchWritable(false)
                case .wantsWrite: return watchWritable(true)
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
        // nghttp2 answers a violation with GOAWAY and is done then; so it is after our own GOAWAY and the last stream.
        if case .open = state, !session.isActive { end(.protocolError("the HTTP/2 session is over")) }
    }

    /// Whether there is something to write: enough to fill a record, or all there is.
    private func fillOutput() throws(HTTP2Session.Failure) -> Bool {
        if output.count - written < Self.recordThreshold {
            // What a record had no room for begins the next one.
            output.removeFirst(written)
            written = 0
            try session.nextFrames(into: &output, threshold: Self.recordThreshold)
        }
        return !output.isEmpty
    }

    private func writePiece() -> TLSStream.Progress {
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
