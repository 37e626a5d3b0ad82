import Cryptography
import Encodings
import Testing

struct P256KeyTests {
    /// The key, the message and the signature of RFC 7515, appendix A.3.
    private static let rfcKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
        H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
        7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
        -----END PRIVATE KEY-----
        """
    private static let rfcMessage =
        "eyJhbGciOiJFUzI1NiJ9"
        + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let rfcSignature =
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

    private func rfcSignatureBytes() throws -> [UInt8] {
        try #require([UInt8](base64URL: Self.rfcSignature))
    }

    @Test func `the example of RFC 7515 verifies`() throws {
        let key = try P256PrivateKey(pem: Self.rfcKey).publicKey()
        #expect(key.isValidSignature(try rfcSignatureBytes(), for: Array(Self.rfcMessage.utf8)))
    }

    @Test func `a signature that differs in one bit does not verify`() throws {
        let key = try P256PrivateKey(pem: Self.rfcKey).publicKey()
        for index in [0, 31, 32, 63] {
            var signature = try rfcSignatureBytes()
            signature[index] ^= 1
            #expect(!key.isValidSignature(signature, for: Array(Self.rfcMessage.utf8)))
        }
    }

    @Test(arguments: [0, 1, 63, 65, 72])
    func `a signature of another length does not verify`(length: Int) throws {
        let key = try P256PrivateKey(pem: Self.rfcKey).publicKey()
        #expect(!key.isValidSignature(Array(repeating: 1, count: length), for: [1, 2, 3]))
    }

    @Test func `a signature of zeros does not verify`() throws {
        let key = try P256PrivateKey(pem: Self.rfcKey).publicKey()
        #expect(!key.isValidSignature(Array(repeating: 0, count: 64), for: [1, 2, 3]))
    }

    /// In about one signature of 128, r or s begins with a zero byte, and must be padded.
    @Test func `every signature has 64 bytes and verifies, for its message only`() throws {
        let key = try P256PrivateKey.generate()
        let publicKey = try key.publicKey()
        let otherKey = try P256PrivateKey.generate().publicKey()
        for number in 0..<UInt8(255) {
            let signature = try key.signature(for: [number])
            #expect(signature.count == 64)
            #expect(publicKey.isValidSignature(signature, for: [number]))
            #expect(!publicKey.isValidSignature(signature, for: [number, 0]))
            #expect(!otherKey.isValidSignature(signature, for: [number]))
        }
    }

    @Test func `a new key is PKCS#8 in PEM and differs from every other`() throws {
        let key = try P256PrivateKey.generate()
        #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(try P256PrivateKey(pem: key.pem) == key)
        #expect(try P256PrivateKey.generate() != key)
    }

    @Test func `equal keys are equal whatever text is around them`() throws {
        let key = try P256PrivateKey(pem: Self.rfcKey)
        #expect(try P256PrivateKey(pem: "\n# a comment\n" + Self.rfcKey.replacing("\n", with: "\r\n") + "\n\n") == key)
        #expect(try P256PrivateKey(pem: Self.rfcKey).publicKey() == key.publicKey())
    }

    @Test func `a description or dump of a key shows no part of it`() throws {
        let key = try P256PrivateKey.generate()
        let secret = try #require(key.pem.split(separator: "\n").dropFirst().first)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] { #expect(!text.contains(secret)) }
    }

    @Test(arguments: ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "not a key"])
    func `a text without a private key is not read`(text: String) {
        let error = #expect(throws: PrivateKeyError.self) { try P256PrivateKey(pem: text) }
        guard case .unreadable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `the error for a key on another curve names the curve`() {
        #expect(throws: PrivateKeyError.notP256(found: "secp384r1")) {
            try P256PrivateKey(
                pem: """
                    -----BEGIN PRIVATE KEY-----
                    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAAAAAAAAAAAAAAAAAA
                    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAq1SpjOsfCtKhZANiAATYoX5VuOL0
                    e8Np/ZYWaVzic9zk4weDCmX1pKmqiWfJh67qetNlZ3oTv9ZcP+WmaTm9xTVCxSE6
                    UTRduoIgq7I8cWWaTYULO7r/jQNb0IpZ6zIJnJapBJ5NfUNc9nVxO8g=
                    -----END PRIVATE KEY-----
                    """
            )
        }
    }
}
