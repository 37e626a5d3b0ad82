import Glibc
import Testing

@testable import HTTP2Transport

/// TLS between two ends of a pair of sockets, whose turns the test takes.
struct TLSStreamTests {
    private let authority: CertificateAuthority
    private let context: TLSContext

    init() throws {
        authority = try CertificateAuthority(name: "Test authority")
        context = try TLSContext(trusting: .authorities(pem: authority.certificatePEM))
    }

    /// How the handshake of a client that wants that host ends with a server whose certificate is for that name.
    private func handshake(with host: String, certifiedFor name: String) throws -> TLSStream.Progress {
        let (near, far) = try makeSocketPair()
        let client = try #require(TLSStream(connecting: context, to: host, on: near.rawValue))
        let identity = try TLSContext(identity: try authority.issueIdentity(for: [name]))
        let server = try #require(TLSStream(accepting: identity, on: far.rawValue))
        var progress = client.handshake()
        // More turns than a handshake takes.
        for _ in 0..<5 where progress == .wantsRead {
            _ = server.handshake()
            progress = client.handshake()
        }
        return progress
    }

    @Test func `a star stands for a whole label of a name, and not for a part of one`() throws {
        #expect(try handshake(with: "api.push.apple.com", certifiedFor: "*.push.apple.com") == .done(0))
        let partial = try handshake(with: "api.push.apple.com", certifiedFor: "a*.push.apple.com")
        guard case .failed(let reason) = partial else {
            Issue.record("\(partial)")
            return
        }
        #expect(reason.contains("mismatch"))
    }

    /// The first thing that a client sends.
    private func clientHello(to host: String) throws -> [UInt8] {
        let (near, far) = try makeSocketPair()
        let client = try #require(TLSStream(connecting: context, to: host, on: near.rawValue))
        #expect(client.handshake() == .wantsRead)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(far.rawValue, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    @Test func `a server is told the name that it is asked for`() throws {
        let name = Array("api.push.apple.com".utf8)
        let count = UInt8(name.count)
        // RFC 6066, section 3: the extension, a list of names, and a DNS name; each but the first kind with its length.
        let extensionBytes = [0, 0, 0, count + 5, 0, count + 3, 0, 0, count] + name
        #expect(try clientHello(to: "api.push.apple.com").contains(extensionBytes))
    }

    @Test func `an address is not told as a name`() throws {
        let hello = try clientHello(to: "127.0.0.1")
        #expect(!hello.isEmpty && !hello.contains(Array("127.0.0.1".utf8)))
    }
}
