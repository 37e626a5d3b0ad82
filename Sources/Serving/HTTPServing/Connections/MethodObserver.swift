import HTTPTypes
import NIOCore

/// A channel handler that checks whether the bytes of an HTTP/1.1 connection begin with an unknown method.
///
/// It precedes the HTTP parser, whose error does not distinguish an unknown method from bytes that are not HTTP.
final class MethodObserver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The maximum length of a method, longer than all registered ones.
    private static let maxMethodBytes = 32
    /// The bytes of a token besides letters and digits (RFC 9110, section 5.6.2).
    private static let tokenPunctuation = Array("!#$%&'*+-.^_`|~".utf8)
    private static let knownMethods = HTTPRequest.Method.known.map { Array($0.rawValue.utf8) }

    /// Whether the newest bytes begin with an unknown method and a space.
    ///
    /// It is meaningful only if the parser has found an invalid method: other bytes may look like one.
    private(set) var startsWithUnknownMethod = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView.prefix(Self.maxMethodBytes + 1)
        let method = bytes.prefix(while: Self.isTokenByte)
        startsWithUnknownMethod =
            !method.isEmpty && bytes.dropFirst(method.count).first == UInt8(ascii: " ")
            && !Self.knownMethods.contains { $0.elementsEqual(method) }
        context.fireChannelRead(data)
    }

    /// Returns whether a method may contain a byte: methods are tokens (RFC 9110, section 9.1).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: tokenPunctuation.contains(byte)
        }
    }
}
