import Encodings
import Synchronization

/// One connection of a flood, from its beginning to its end.
public struct FloodRun: Sendable {
    /// How a flood ended.
    public enum End: Hashable, Sendable {
        /// The server closed the connection, after a GOAWAY with this error code if it sent one.
        case cut(errorCode: UInt32?)
        /// The server reset every stream and kept the connection.
        case streamsReset
        /// The connection was open at the end of the time.
        case open
    }

    /// The number of sent frames; parts of requests count each.
    public let frames: Int
    /// The time from the connection's beginning to its end.
    public let duration: Duration
    /// The end.
    public let end: End

    /// Runs a flood over one connection to a port of this machine.
    /// - Parameters:
    ///   - flood: the flood.
    ///   - port: the port of a server with HTTP/2 over TLS.
    ///   - maxFrames: the number of frames after which the flood only waits.
    ///   - limit: the time after which the flood closes the connection.
    /// - Returns: the run.
    /// - Throws: NIO's error if the connection cannot be made.
    public static func run(_ flood: Flood, port: Int, maxFrames: Int, limit: Duration) async throws -> FloodRun {
        let start = ContinuousClock.now
        let progress = FloodProgress()
        try await FloodConnection.open(port) { connection, frames in
            let timer = Task {
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                progress.expired()
                connection.close()
            }
            defer { timer.cancel() }
            let sender = Task {
                guard await connection.send(flood.opening) else { return }
                guard !flood.isSilent else { return }
                var part = 0
                while progress.frames < maxFrames {
                    let (bytes, count) = flood.part(part)
                    guard await connection.send(bytes) else { return }
                    progress.sent(count)
                    part += 1
                }
            }
            if flood.reads {
                while let frame = await frames.next() {
                    progress.received(frame)
                    if flood == .slowReader, progress.resets == Flood.heldStreams { break }
                }
            } else {
                await connection.closed()
            }
            connection.close()
            await sender.value
        }
        return progress.run(flood, in: ContinuousClock.now - start)
    }
}

/// What a flood has sent and received so far, for its tasks.
private final class FloodProgress: Sendable {
    private struct Content {
        var frames = 0
        var errorCode: UInt32?
        var resets = 0
        var isExpired = false
    }

    private let content = Mutex(Content())

    var frames: Int { content.withLock(\.frames) }

    var resets: Int { content.withLock(\.resets) }

    func sent(_ count: Int) { content.withLock { $0.frames += count } }

    func expired() { content.withLock { $0.isExpired = true } }

    func received(_ frame: FloodConnection.Frame) {
        content.withLock { content in
            switch frame.header.kind {
            case HTTP2FrameHeader.Kind.resetStream: content.resets += 1
            case HTTP2FrameHeader.Kind.goAway where frame.payload.count >= 8:
                content.errorCode = frame.payload[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
            default: break
            }
        }
    }

    func run(_ flood: Flood, in duration: Duration) -> FloodRun {
        content.withLock { content in
            let end: FloodRun.End =
                if flood == .slowReader, content.resets >= Flood.heldStreams {
                    .streamsReset
                } else {
                    content.isExpired ? .open : .cut(errorCode: content.errorCode)
                }
            return FloodRun(frames: content.frames, duration: duration, end: end)
        }
    }
}
