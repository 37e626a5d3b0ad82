import HTTP2Transport
import Testing

struct CertificateAuthorityTests {
    @Test(arguments: [[], [""], ["a b"], ["x,DNS:evil.example"], ["good.example", "bad_example/"]])
    func `an invalid host gets no certificate`(hosts: [String]) throws {
        let authority = try CertificateAuthority(name: "Test authority")
        #expect(throws: TransportError.self) { try authority.issueIdentity(for: hosts) }
    }

    @Test(arguments: ["", String(repeating: "x", count: 65)])
    func `an authority's name of an invalid length is rejected`(name: String) {
        #expect(throws: TransportError.self) { try CertificateAuthority(name: name) }
    }

    @Test func `two authorities with the same name have different certificates`() throws {
        let first = try CertificateAuthority(name: "Same")
        let second = try CertificateAuthority(name: "Same")
        #expect(first.certificatePEM != second.certificatePEM)
    }

    @Test func `the description of an identity does not contain its key`() throws {
        let identity = try CertificateAuthority(name: "Test authority").issueIdentity(for: ["localhost", "::1"])
        #expect(!"\(identity)".contains("PRIVATE"))
    }

    @Test func `a server rejects an identity with the key of another certificate`() throws {
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
