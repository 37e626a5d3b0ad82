import Encodings
import Synchronization

/// A client that sends one request after another over one connection, and measures each.
public final class HonestProbe: Sendable {
    /// The pause between two requests.
    private static let pause = Duration.milliseconds(5)
    /// The time within which each response must arrive.
    private static let limit = Duration.seconds(5)

    /// The failure of a probe.
    public struct Failure: Error, CustomStringConvertible {
        /// What happened.
        public let description: String
    }

    private let port: Int
    private let path: String
    private let latencies = Mutex<[Duration]>([])

    /// Creates a probe of a port of this machine that requests a path.
    public init(port: Int, path: String) {
        self.port = port
        self.path = path
    }

    /// Returns the latencies since the last call.
    public func take() -> [Duration] {
        latencies.withLock { latencies in
            defer { latencies = [] }
            return latencies
        }
    }

    /// Sends requests until the task is cancelled.
    /// - Throws: ``Failure`` if a response does not arrive in time.
    public func run() async throws {
        var number: UInt32 = 0
        // The window of the connection is large enough for all responses.
        let preface =
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Flood.frame(HTTP2FrameHeader.Kind.settings)
            + Flood.frame(HTTP2FrameHeader.Kind.windowUpdate, payload: [0x3f, 0, 0, 0])
        try await FloodConnection.open(port) { connection, frames in
            guard await connection.send(preface) else {
                throw Failure(description: "port \(port) closed the connection of the honest client")
            }
            while !Task.isCancelled {
                let stream = 2 * number + 1
                number += 1
                let start = ContinuousClock.now
                // Closing the connection ends the wait for a response that does not arrive.
                let timer = Task { if (try? await Task.sleep(for: Self.limit)) != nil { connection.close() } }
                defer { timer.cancel() }
                guard await connection.send(Flood.get(path, on: stream)) else {
                    if Task.isCancelled { return }
                    throw Failure(description: "port \(port) closed the connection of the honest client")
                }
                try await awaitResponse(on: stream, &frames, connection)
                latencies.withLock { $0.append(ContinuousClock.now - start) }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    private func awaitResponse(
        on stream: UInt32,
        _ frames: inout FloodConnection.Frames,
        _ connection: FloodConnection
    ) async throws {
        while let frame = await frames.next() {
            switch frame.header.kind {
            case HTTP2FrameHeader.Kind.goAway, HTTP2FrameHeader.Kind.resetStream:
                throw Failure(description: "port \(port) refused a request of the honest client")
            case HTTP2FrameHeader.Kind.settings where !frame.header.has(HTTP2FrameHeader.Flag.acknowledgement):
                let flags = HTTP2FrameHeader.Flag.acknowledgement
                _ = await connection.send(Flood.frame(HTTP2FrameHeader.Kind.settings, flags: flags))
            case HTTP2FrameHeader.Kind.headers, HTTP2FrameHeader.Kind.data:
                if frame.header.streamID == stream, frame.header.has(HTTP2FrameHeader.Flag.endStream) { return }
            default: break
            }
        }
        if Task.isCancelled { return }
        throw Failure(description: "port \(port) did not respond to the honest client within \(Self.limit)")
    }
}
