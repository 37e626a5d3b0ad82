import NIOCore

/// A channel handler that checks whether the bytes of an HTTP/1.1 connection begin with a method, known or not.
///
/// It precedes the HTTP parser, whose error does not distinguish an unknown method from bytes that are not HTTP.
final class MethodObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// The maximum length of a method, longer than all registered ones.
    private static let maxMethodBytes = 32

    /// Whether the newest bytes begin with a method in upper case and a space.
    ///
    /// It is meaningful only for the beginning of a request.
    private(set) var startsWithMethod = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView.prefix(Self.maxMethodBytes + 1)
        let method = bytes.prefix { ($0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z")) || $0 == UInt8(ascii: "-") }
        startsWithMethod = !method.isEmpty && bytes.dropFirst(method.count).first == UInt8(ascii: " ")
        context.fireChannelRead(data)
    }
}
