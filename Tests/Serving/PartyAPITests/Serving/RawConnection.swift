import Foundation
import NIOCore
import NIOPosix

/// A connection over which a test sends whatever bytes it likes.
struct RawConnection {
    /// Bytes that the client's socket takes before anybody reads them; small, so that a client can be slow.
    private static let socketBytes = 4_096

    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    /// NIO's iterators run `next()` elsewhere; one task at a time asks for it, the one that holds the connection.
    private nonisolated(unsafe) var parts: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var heard = ""

    /// Connects and lets a test's body talk; the connection is closed afterwards.
    static func open<Result: Sendable>(
        _ port: Int,
        _ body: (inout RawConnection) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.so_rcvbuf), value: socketBytes)
            // Nothing is read before the test wants to.
            .channelOption(.maxMessagesPerRead, value: 1)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = RawConnection(outbound: outbound, parts: inbound.makeAsyncIterator())
            return try await body(&connection)
        }
    }

    private init(
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        parts: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    ) {
        self.outbound = outbound
        self.parts = parts
    }

    /// Sends lines, each ended as HTTP ends them.
    func send(_ lines: String...) async throws {
        try await send(text: lines.map { $0 + "\r\n" }.joined())
    }

    /// Sends a text as it is.
    func send(text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    /// What comes until the server has closed the connection.
    mutating func rest() async throws -> String {
        while let part = try await parts.next() { heard += String(buffer: part) }
        defer { heard = "" }
        return heard
    }

    /// What comes up to and including a text.
    /// - Throws: when the connection is closed before.
    mutating func read(through end: String) async throws -> String {
        while true {
            if let range = heard.range(of: end) {
                defer { heard.removeSubrange(..<range.upperBound) }
                return String(heard[..<range.upperBound])
            }
            guard let part = try await parts.next() else { throw ClosedError(heard: heard) }
            heard += String(buffer: part)
        }
    }

    struct ClosedError: Error {
        let heard: String
    }
}
