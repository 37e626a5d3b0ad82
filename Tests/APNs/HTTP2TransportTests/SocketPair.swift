import Glibc
import Testing

@testable import HTTP2Transport

/// Returns two connected, non-blocking sockets.
func makeSocketPair() throws -> (Descriptor, Descriptor) {
    var ends: [CInt] = [0, 0]
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
}
