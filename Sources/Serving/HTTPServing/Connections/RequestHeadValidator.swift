import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// A channel handler that rejects HTTP/1 requests whose headers leave the host or the end of the body ambiguous.
///
/// It precedes the conversion to the version-independent HTTP types, which loses the version and repeated headers.
final class RequestHeadValidator: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Whether a request was rejected.
    ///
    /// Everything after it is discarded.
    private var discardsInput = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !discardsInput else { return }
        if case .head(let head) = unwrapInboundIn(data), !head.isUnambiguous {
            discardsInput = true
            context.fireErrorCaught(AmbiguousHeadError())
        } else {
            context.fireChannelRead(data)
        }
    }
}

/// An error for a request whose headers leave the host or the end of the body ambiguous (RFC 9112).
struct AmbiguousHeadError: Error {}

extension HTTPRequestHead {
    private static let hostCharacters = Set("!$&'()*+,;=-._~%:[]".utf8)

    /// Whether the request has exactly one valid `Host` (at most one with HTTP/1.0; RFC 9112, section 3.2), and no
    /// `Transfer-Encoding` with HTTP/1.0, where chunks do not exist and the body would end elsewhere (section 6.1).
    fileprivate var isUnambiguous: Bool {
        let hosts = headers["Host"]
        guard hosts.count <= 1, hosts.allSatisfy(Self.isValidHost) else { return false }
        return (version.major, version.minor) >= (1, 1) ? hosts.count == 1 : headers["Transfer-Encoding"].isEmpty
    }

    /// Returns whether a text has only characters of a host with an optional port (RFC 3986, section 3.2.2).
    ///
    /// The empty text is valid.
    private static func isValidHost(_ text: String) -> Bool {
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
