import Foundation
import NIOCore
import NIOPosix

/// A TCP connection to a local server, over which a test sends arbitrary bytes.
public struct RawConnection {
    /// The size of the client's receive buffer.
    ///
    /// It is small, so that a client that does not read slows the server down.
    private static let receiveBufferBytes = 4_096

    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    // NIO's iterator is not `Sendable`; only the task that holds the connection calls `next()`.
    private nonisolated(unsafe) var parts: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var received = ""

    /// Connects to a port of this machine, runs a test's body, and closes the connection.
    /// - Parameters:
    ///   - port: the port.
    ///   - body: the test.
    /// - Returns: the body's result.
    /// - Throws: the body's error; NIO's error when the connection cannot be made.
    public static func open<Result: Sendable>(
        _ port: Int,
        _ body: (inout RawConnection) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.so_rcvbuf), value: receiveBufferBytes)
            // A small read, so that little is buffered before the test reads.
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

    /// Sends lines, each with the line ending CRLF.
    public func send(_ lines: String...) async throws {
        try await send(text: lines.map { $0 + "\r\n" }.joined())
    }

    /// Sends a text unchanged.
    ///
    /// Nothing happens if the server has closed the connection: what it sent before can still be read.
    public func send(text: String) async throws {
        do {
            try await outbound.write(ByteBuffer(string: text))
        } catch let error where Self.meansClosed(error) {
            return
        }
    }

    /// Reads until the server closes or resets the connection.
    /// - Returns: the text.
    public mutating func readToEnd() async throws -> String {
        while let part = try await nextPart() { received += String(buffer: part) }
        defer { received = "" }
        return received
    }

    /// Reads up to and including a text.
    /// - Parameter end: the text that ends the read.
    /// - Returns: the text up to and including `end`.
    /// - Throws: ``ClosedError`` when the server closes or resets the connection first.
    public mutating func read(through end: String) async throws -> String {
        while true {
            if let range = received.range(of: end) {
                defer { received.removeSubrange(..<range.upperBound) }
                return String(received[..<range.upperBound])
            }
            guard let part = try await nextPart() else { throw ClosedError(received: received) }
            received += String(buffer: part)
        }
    }

    private mutating func nextPart() async throws -> ByteBuffer? {
        do {
            return try await parts.next(isolation: #isolation)
        } catch let error where Self.meansClosed(error) {
            return nil
        }
    }

    /// Whether an error only says that the server has closed or reset the connection.
    private static func meansClosed(_ error: any Error) -> Bool {
        if case ChannelError.ioOnClosedChannel = error { return true }
        return [ECONNRESET, EPIPE].contains((error as? IOError)?.errnoCode)
    }

    /// The server closed the connection before it sent the expected text.
    public struct ClosedError: Error {
        /// The text that the server sent.
        public let received: String
    }
}
