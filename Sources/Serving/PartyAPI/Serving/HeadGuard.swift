import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Lets no request of HTTP/1 through whose headers leave open whom it is for, or where it ends.
///
/// It stands where the version and every line of a header are still known: behind it they are not.
final class HeadGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// A request was refused: nothing that follows it is believed.
    private var isDeaf = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDeaf else { return }
        if case .head(let head) = unwrapInboundIn(data), !head.isUnambiguous {
            isDeaf = true
            context.fireErrorCaught(AmbiguousHeadError())
        } else {
            context.fireChannelRead(data)
        }
    }
}

/// The headers of a request leave open what RFC 9112 wants to be clear.
struct AmbiguousHeadError: Error {}

extension HTTPRequestHead {
    private static let hostCharacters = Set("!$&'()*+,;=-._~%:[]".utf8)

    /// Whether there is one host at most, and one at least with HTTP/1.1 (RFC 9112, section 3.2), and no chunks with
    /// HTTP/1.0, which has none and ends its body elsewhere (section 6.1).
    fileprivate var isUnambiguous: Bool {
        let hosts = headers["Host"]
        guard hosts.count <= 1, hosts.allSatisfy(Self.canBeHost) else { return false }
        return (version.major, version.minor) >= (1, 1) ? hosts.count == 1 : headers["Transfer-Encoding"].isEmpty
    }

    /// Whether a text can be a host with or without a port (RFC 3986, section 3.2.2); nothing can, too.
    private static func canBeHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: hostCharacters.contains(byte)
            }
        }
    }
}
