import Encodings
import NIOCore
import NIOPosix
import NIOSSL

/// A client's connection with HTTP/2 over TLS, on which a flood sends arbitrary frames.
///
/// It verifies no certificate: a flood is for servers on this machine.
struct FloodConnection {
    /// A received frame.
    struct Frame {
        let header: HTTP2FrameHeader
        let payload: [UInt8]
    }

    /// The frames from the server, for one task.
    struct Frames {
        // NIO's iterator is not `Sendable`; only the task that reads the frames calls `next()`.
        private nonisolated(unsafe) var parts: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private var received = ByteBuffer()

        fileprivate init(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) {
            parts = inbound.makeAsyncIterator()
        }

        /// Returns the next whole frame; nil when the connection has ended.
        mutating func next() async -> Frame? {
            while true {
                if let frame = takeFrame() { return frame }
                guard let part = try? await parts.next(isolation: #isolation) else { return nil }
                received.writeImmutableBuffer(part)
            }
        }

        private mutating func takeFrame() -> Frame? {
            var header: HTTP2FrameHeader?
            var reader = HTTP2FrameReader(expectsPreface: false)
            received.withUnsafeReadableBytes { bytes in
                reader.read(UnsafeRawBufferPointer(rebasing: bytes.prefix(HTTP2FrameHeader.byteCount))) { event in
                    if case .frameBegan(let began) = event { header = began }
                }
            }
            guard let header, received.readableBytes >= HTTP2FrameHeader.byteCount + header.length else { return nil }
            received.moveReaderIndex(forwardBy: HTTP2FrameHeader.byteCount)
            defer { received.discardReadBytes() }
            return Frame(header: header, payload: received.readBytes(length: header.length) ?? [])
        }
    }

    private let channel: any Channel
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

    /// Connects to a port of this machine, runs a body, and closes the connection.
    /// - Throws: NIO's error if the connection cannot be made, and the body's error.
    static func open<Result: Sendable>(
        _ port: Int,
        _ body: (FloodConnection, inout Frames) async throws -> Result
    ) async throws -> Result {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(context: context, serverHostname: nil)
                    try channel.pipeline.syncOperations.addHandler(tls)
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var frames = Frames(inbound)
            return try await body(FloodConnection(channel: channel.channel, outbound: outbound), &frames)
        }
    }

    /// Sends bytes, and waits while the server does not read.
    /// - Returns: false if the connection has ended.
    func send(_ bytes: [UInt8]) async -> Bool {
        (try? await outbound.write(ByteBuffer(bytes: bytes))) != nil
    }

    /// Closes the connection at once, which ends all waits.
    func close() {
        channel.close(promise: nil)
    }

    /// Waits for the end of the connection.
    func closed() async {
        try? await channel.closeFuture.get()
    }
}
