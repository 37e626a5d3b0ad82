import Glibc
import Testing

@testable import HTTP2Transport

/// TLS over a pair of sockets; the test runs both sides in turn.
struct TLSStreamTests {
    private let authority: CertificateAuthority
    private let context: TLSContext

    init() throws {
        authority = try CertificateAuthority(name: "Test authority")
        context = try TLSContext(trusting: .authorities(pem: authority.certificatePEM))
    }

    /// Returns the result of a handshake with `host` if the server's certificate is for `name`.
    private func handshake(with host: String, certifiedFor name: String) throws -> TLSStream.Progress {
        let (near, far) = try makeSocketPair()
        let client = try #require(TLSStream(connecting: context, to: host, on: near.rawValue))
        let identity = try TLSContext(identity: try authority.issueIdentity(for: [name]))
        let server = try #require(TLSStream(accepting: identity, on: far.rawValue))
        var progress = client.handshake()
        // A handshake takes fewer turns.
        for _ in 0..<5 where progress == .wantsRead {
            _ = server.handshake()
            progress = client.handshake()
        }
        return progress
    }

    @Test func `neither side takes part in renegotiations`() throws {
        #expect(context.refusesRenegotiation)
        #expect(try TLSContext(trusting: .system).refusesRenegotiation)
    }

    @Test func `a wildcard matches a whole label of a name, and not a part of one`() throws {
        #expect(try handshake(with: "api.push.apple.com", certifiedFor: "*.push.apple.com") == .done(0))
        let partial = try handshake(with: "api.push.apple.com", certifiedFor: "a*.push.apple.com")
        guard case .failed(let reason) = partial else {
            Issue.record("\(partial)")
            return
        }
        #expect(reason.contains("mismatch"))
    }

    /// Returns the first message of a client.
    private func clientHello(to host: String) throws -> [UInt8] {
        let (near, far) = try makeSocketPair()
        let client = try #require(TLSStream(connecting: context, to: host, on: near.rawValue))
        #expect(client.handshake() == .wantsRead)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(far.rawValue, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    @Test func `a client sends the server's name as SNI`() throws {
        let name = Array("api.push.apple.com".utf8)
        let count = UInt8(name.count)
        // RFC 6066, section 3: the type of the extension, the list of names and a DNS name, with their lengths.
        let extensionBytes = [0, 0, 0, count + 5, 0, count + 3, 0, 0, count] + name
        #expect(try clientHello(to: "api.push.apple.com").contains(extensionBytes))
    }

    @Test func `a client sends no address as SNI`() throws {
        let hello = try clientHello(to: "127.0.0.1")
        #expect(!hello.isEmpty && !hello.contains(Array("127.0.0.1".utf8)))
    }
}
