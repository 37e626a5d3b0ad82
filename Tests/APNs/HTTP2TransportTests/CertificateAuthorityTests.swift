import HTTP2Transport
import Testing

struct CertificateAuthorityTests {
    @Test(arguments: [[], [""], ["a b"], ["x,DNS:evil.example"], ["good.example", "bad_example/"]])
    func `what is no host gets no certificate`(hosts: [String]) throws {
        let authority = try CertificateAuthority(name: "Test authority")
        #expect(throws: TransportError.self) { try authority.issueIdentity(for: hosts) }
    }

    @Test(arguments: ["", String(repeating: "x", count: 65)])
    func `a name that no certificate can carry is refused`(name: String) {
        #expect(throws: TransportError.self) { try CertificateAuthority(name: name) }
    }

    @Test func `two authorities of the same name do not vouch for each other`() throws {
        let first = try CertificateAuthority(name: "Same")
        let second = try CertificateAuthority(name: "Same")
        #expect(first.certificatePEM != second.certificatePEM)
    }

    @Test func `a description never shows the key`() throws {
        let identity = try CertificateAuthority(name: "Test authority").issueIdentity(for: ["localhost", "::1"])
        #expect(!"\(identity)".contains("PRIVATE"))
    }

    @Test func `an identity whose key is another's cannot be served`() throws {
        let authority = try CertificateAuthority(name: "Test authority")
        let one = try authority.issueIdentity(for: ["localhost"])
        let other = try authority.issueIdentity(for: ["localhost"])
        let mixed = TLSIdentity(certificateChainPEM: one.certificateChainPEM, privateKeyPEM: other.privateKeyPEM)
        #expect(throws: TransportError.self) {
            try HTTP2Server(configuration: .init(identity: mixed), handler: ClosureHandler { _, _ in nil })
        }
        let empty = TLSIdentity(certificateChainPEM: "", privateKeyPEM: one.privateKeyPEM)
        #expect(throws: TransportError.self) {
            try HTTP2Server(configuration: .init(identity: empty), handler: ClosureHandler { _, _ in nil })
        }
    }
}
