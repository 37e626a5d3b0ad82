import COpenSSL
import Foundation
import HTTP2Transport
import Testing

@testable import APNsClient

struct ProviderTokenTests {
    private let pem: String
    private let key: ProviderKey

    init() throws {
        pem = try PrivateKey.generateP256().pem
        key = try ProviderKey(pem: pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
    }

    private func parts(_ token: ProviderToken) throws -> [String] {
        let prefix = "bearer "
        try #require(token.authorization.hasPrefix(prefix))
        return token.authorization.dropFirst(prefix.count).split(separator: ".").map(String.init)
    }

    private func decode(_ base64URL: String) -> [UInt8] {
        let base64 = base64URL.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)).map(Array.init)
            ?? []
    }

    /// Whether libcrypto finds the raw signature right.
    private func verifies(_ raw: [UInt8], of text: String) throws -> Bool {
        guard raw.count == 64, let signature = unsafe ECDSA_SIG_new() else { return false }
        defer { unsafe ECDSA_SIG_free(signature) }
        let r = unsafe BN_bin2bn(Array(raw[..<32]), 32, nil)
        let s = unsafe BN_bin2bn(Array(raw[32...]), 32, nil)
        guard unsafe ECDSA_SIG_set0(signature, r, s) == 1 else { return false }
        var der: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_ECDSA_SIG(signature, &der)
        defer { unsafe CRYPTO_free(der, nil, 0) }
        return unsafe try PrivateKey(pem: pem).withPointer { pointer in
            guard let context = unsafe EVP_MD_CTX_new() else { return false }
            defer { unsafe EVP_MD_CTX_free(context) }
            let bytes = Array(text.utf8)
            return unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, pointer) == 1
                && EVP_DigestVerify(context, der, Int(count), bytes, bytes.count) == 1
        }
    }

    @Test func `a token has the four documented fields and nothing else`() throws {
        let parts = try parts(try ProviderToken(key: key, issuedAt: 1_700_000_000))
        #expect(parts.count == 3)
        #expect(String(decoding: decode(parts[0]), as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
        #expect(String(decoding: decode(parts[1]), as: UTF8.self) == #"{"iss":"DEF123GHIJ","iat":1700000000}"#)
    }

    /// Many, since r or s begins with a zero byte once in 128 signatures, and must be filled up then.
    @Test func `libcrypto verifies every signature`() throws {
        for issuedAt in 0..<Int64(300) {
            let parts = try parts(try ProviderToken(key: key, issuedAt: issuedAt))
            #expect(parts.allSatisfy { $0.utf8.allSatisfy { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "+") } })
            #expect(try verifies(decode(parts[2]), of: "\(parts[0]).\(parts[1])"))
            #expect(try !verifies(decode(parts[2]), of: "\(parts[0]).\(parts[1])x"))
        }
    }

    @Test func `a token is used for 50 minutes`() throws {
        var cache = ProviderTokenCache(key: key)
        let first = try cache.current(at: 10_000)
        #expect(first.issuedAt == 10_000)
        #expect(try cache.current(at: 10_000 + 50 * 60 - 1) == first)
        #expect(try cache.current(at: 10_000 + 50 * 60).issuedAt == 13_000)
    }

    @Test func `a clock that is set back renews only when it was far off`() throws {
        var cache = ProviderTokenCache(key: key)
        let first = try cache.current(at: 10_000)
        #expect(try cache.current(at: 9_940) == first)
        #expect(try cache.current(at: 9_939).issuedAt == 9_939)
    }

    @Test func `an expired token is replaced once, by one of now`() throws {
        var cache = ProviderTokenCache(key: key)
        let first = try cache.current(at: 10_000)
        let second = try #require(try cache.replacement(of: first, for: .expired, at: 10_000 + 20 * 60))
        #expect(second.issuedAt == 11_200)
        // A request that carried the first one gets the second, not a third.
        #expect(try cache.replacement(of: first, for: .expired, at: 11_201) == second)
        #expect(try cache.current(at: 11_201) == second)
    }

    @Test func `a young token that is expired all the same is replaced by one of an hour later, once in 20 minutes`()
        throws
    {
        var cache = ProviderTokenCache(key: key)
        let first = try cache.current(at: 10_000)
        let second = try #require(try cache.replacement(of: first, for: .expired, at: 10_001))
        #expect(second.issuedAt == 10_000 + 3600)
        #expect(try cache.replacement(of: second, for: .expired, at: 10_001 + 20 * 60 - 1) == nil)
        #expect(try cache.current(at: 10_001 + 50 * 60 - 1) == second)
        var other = cache
        #expect(try other.replacement(of: second, for: .expired, at: 10_001 + 20 * 60)?.issuedAt == 10_000 + 2 * 3600)
        #expect(try cache.current(at: 10_001 + 50 * 60).issuedAt == 10_001 + 50 * 60)
    }

    @Test func `a token of an hour later that is found invalid gives way to one of now`() throws {
        var cache = ProviderTokenCache(key: key)
        let first = try cache.current(at: 10_000)
        let second = try #require(try cache.replacement(of: first, for: .expired, at: 10_001))
        let third = try #require(try cache.replacement(of: second, for: .invalid, at: 10_002))
        #expect(third.issuedAt == 10_002)
        #expect(try cache.replacement(of: third, for: .invalid, at: 10_003) == nil)
        #expect(try cache.replacement(of: third, for: .expired, at: 10_003) == nil)
    }

    @Test func `an invalid token is not replaced, since the next would be as invalid`() throws {
        var cache = ProviderTokenCache(key: key)
        let first = try cache.current(at: 10_000)
        #expect(try cache.replacement(of: first, for: .invalid, at: 10_000 + 40 * 60) == nil)
    }
}
