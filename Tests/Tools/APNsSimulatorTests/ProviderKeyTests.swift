import Foundation
import Testing

@testable import APNsSimulator

@Suite struct ProviderKeyTests {
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
        let base64 = Self.rfcSignature.replacing("-", with: "+").replacing("_", with: "/") + "=="
        return Array(try #require(Data(base64Encoded: base64)))
    }

    @Test func `the example of RFC 7515 verifies`() throws {
        let key = try ProviderKey(pem: Self.rfcKey)
        #expect(key.verifies(signature: try rfcSignatureBytes(), of: Array(Self.rfcMessage.utf8)))
    }

    @Test func `a signature that differs in one bit does not verify`() throws {
        let key = try ProviderKey(pem: Self.rfcKey)
        for index in [0, 31, 32, 63] {
            var signature = try rfcSignatureBytes()
            signature[index] ^= 1
            #expect(!key.verifies(signature: signature, of: Array(Self.rfcMessage.utf8)))
        }
    }

    @Test(arguments: [0, 1, 63, 65, 72])
    func `a signature of another length does not verify`(length: Int) throws {
        let key = try ProviderKey(pem: Self.rfcKey)
        #expect(!key.verifies(signature: Array(repeating: 1, count: length), of: [1, 2, 3]))
    }

    @Test func `a signature of zeros does not verify`() throws {
        let key = try ProviderKey(pem: Self.rfcKey)
        #expect(!key.verifies(signature: Array(repeating: 0, count: 64), of: [1, 2, 3]))
    }

    @Test func `a new key is PKCS#8 in PEM, reads back, and is another one each time`() throws {
        let pem = try ProviderKey.make().pem()
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(try ProviderKey(pem: pem).pem() == pem)
        #expect(try ProviderKey.make().pem() != pem)
    }

    @Test(arguments: ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "not a key"])
    func `what is no key is refused`(text: String) {
        #expect(throws: ProviderKeyError.unreadable) { try ProviderKey(pem: text) }
    }

    @Test func `a key on another curve is refused by name`() {
        #expect(throws: ProviderKeyError.wrongKind("secp384r1")) {
            try ProviderKey(
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
