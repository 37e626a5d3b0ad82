import Encodings
import NIOCore

/// The channel handler between TLS and HTTP/2: it observes the frames of a connection and changes none.
///
/// It passes the progress of headers to the connection's timeouts, and ends a connection whose client sends too many
/// frames without contents. NIO limits such frames as well, but neither WINDOW_UPDATE nor unknown frames.
final class HTTP2FrameObserver: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The error code ENHANCE_YOUR_CALM (RFC 9113, section 7).
    private static let enhanceYourCalm: UInt32 = 0xb

    private let connection: SlowConnectionHandler
    private var headerPhase = HTTP2HeaderPhase()
    private var emptyFrames = EmptyFrameLimit()
    /// The frames that the server sends.
    private var sentFrames = HTTP2FrameReader(expectsPreface: false)
    private var isEnded = false

    /// Creates an observer for a connection, before its first byte after TLS.
    init(of connection: SlowConnectionHandler) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnded else { return }
        var isFlooded = false
        let progress = unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
            headerPhase.read(bytes) { header in
                if emptyFrames.received(header, at: .now) { isFlooded = true }
            }
        }
        guard !isFlooded else { return end(context) }
        connection.update { $0.headersProgressed(progress, at: context.eventLoop.now) }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        unwrapOutboundIn(data).withUnsafeReadableBytes { bytes in
            sentFrames.read(bytes) { event in
                if case .frameBegan(let header) = event, header.carriesContents { emptyFrames.advanced() }
            }
        }
        context.write(data, promise: promise)
    }

    /// Sends GOAWAY with ENHANCE_YOUR_CALM, and closes the connection.
    private func end(_ context: ChannelHandlerContext) {
        isEnded = true
        var frame = context.channel.allocator.buffer(capacity: 17)
        frame.writeBytes(HTTP2FrameHeader(length: 8, kind: HTTP2FrameHeader.Kind.goAway).bytes)
        // The last stream is unknown here: none is promised to be processed.
        frame.writeInteger(UInt32(0))
        frame.writeInteger(Self.enhanceYourCalm)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        context.close(promise: nil)
    }
}
