import Cryptography
import Encodings
import TestSupport
import Testing

@testable import SignInWithApple

struct AppleKeySetTests {
    private func keySet(_ json: String) throws -> AppleKeySet { try AppleKeySet(json: Array(json.utf8)) }

    private func modulus(bytes: Int, first: UInt8 = 0x80, last: UInt8 = 1) -> [UInt8] {
        [first] + [UInt8](repeating: 0xff, count: bytes - 2) + [last]
    }

    @Test func `keys of other kinds and purposes are left out`() throws {
        let number = modulus(bytes: 256).base64URL
        let keys = try keySet(
            """
            {"keys":[{"kty":"RSA","kid":"good","n":"\(number)","e":"AQAB"},
            {"kty":"EC","kid":"curve","crv":"P-256"},
            {"kty":"RSA","kid":"encryption","use":"enc","n":"\(number)","e":"AQAB"},
            {"kty":"RSA","kid":"RS512","alg":"RS512","n":"\(number)","e":"AQAB"},
            {"kty":"RSA","n":"\(number)","e":"AQAB"},
            {"kty":"RSA","kid":"padded","n":"\(number)==","e":"AQAB"},
            {"kty":"RSA","kid":"incomplete","n":"\(number)"}]}
            """
        )
        #expect(keys["good"] != nil)
        for keyID in ["curve", "encryption", "RS512", "", "padded", "incomplete"] { #expect(keys[keyID] == nil) }
    }

    @Test func `only numbers of a sound key make one`() {
        let exponent: [UInt8] = [1, 0, 1]
        #expect(RSAPublicKey(modulus: modulus(bytes: 256), exponent: exponent) != nil)
        #expect(RSAPublicKey(modulus: [0] + modulus(bytes: 512), exponent: [0] + exponent) != nil)
        for bytes in [2, 128, 255, 513, 10_000] {
            #expect(RSAPublicKey(modulus: modulus(bytes: bytes), exponent: exponent) == nil)
        }
        #expect(RSAPublicKey(modulus: modulus(bytes: 256, first: 0x7f), exponent: exponent) == nil)
        #expect(RSAPublicKey(modulus: modulus(bytes: 256, last: 2), exponent: exponent) == nil)
        #expect(RSAPublicKey(modulus: [], exponent: exponent) == nil)
        for exponent: [UInt8] in [[], [0], [1], [2], [1, 0, 0], [1, 0, 0, 0, 1]] {
            #expect(RSAPublicKey(modulus: modulus(bytes: 256), exponent: exponent) == nil)
        }
    }

    @Test(arguments: ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[{}]}"#, #"{"keys":[]}"#])
    func `a set without a usable key is an error`(json: String) {
        #expect(throws: AppleKeysError.self) { try keySet(json) }
    }

    @Test func `a set of unusual size is an error`() throws {
        let issuer = try AppleIssuer(keyID: "one")
        #expect(throws: Never.self) { try keySet(AppleIssuer.keySet([issuer])) }
        #expect(throws: AppleKeysError.self) {
            try keySet(AppleIssuer.keySet([issuer]) + String(repeating: " ", count: 64 * 1024))
        }
        #expect(throws: AppleKeysError.self) {
            try keySet(AppleIssuer.keySet(Array(repeating: issuer, count: AppleKeySet.maxKeys + 1)))
        }
    }

    @Test func `a key source is a path, or an HTTPS URL without user, query and fragment`() {
        #expect(AppleKeySource("keys.json") == .file(path: "keys.json"))
        #expect(AppleKeySource("/etc/rangers/keys.json") == .file(path: "/etc/rangers/keys.json"))
        #expect(
            AppleKeySource(AppleKeySource.appleURL)
                == .resource(host: "appleid.apple.com", port: 443, path: "/auth/keys")
        )
        #expect(AppleKeySource("https://[::1]:8443") == .resource(host: "::1", port: 8443, path: "/"))
        for text in [
            "http://appleid.apple.com/auth/keys", "file:///etc/passwd", "https://", "https://user@example.com/",
            "https://example.com/?a=b", "https://example.com/#a",
        ] {
            #expect(AppleKeySource(text) == nil)
        }
    }
}
