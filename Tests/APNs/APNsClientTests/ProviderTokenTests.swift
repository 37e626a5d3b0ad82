import Cryptography
import Encodings
import Testing

@testable import APNsClient

struct ProviderTokenTests {
    private let pem: String
    private let key: ProviderKey

    init() throws {
        pem = try P256PrivateKey.generate().pem
        key = try ProviderKey(pem: pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
    }

    private func parts(_ token: ProviderToken) throws -> [String] {
        let prefix = "bearer "
        try #require(token.authorization.hasPrefix(prefix))
        return token.authorization.dropFirst(prefix.count).split(separator: ".").map(String.init)
    }

    @Test func `a token has the four documented fields and no others`() throws {
        let parts = try parts(try ProviderToken(key: key, issuedAt: 1_700_000_000))
        #expect(parts.count == 3)
        #expect(
            String(decoding: [UInt8](base64URL: parts[0]) ?? [], as: UTF8.self)
                == #"{"alg":"ES256","kid":"ABC123DEFG"}"#
        )
        #expect(
            String(decoding: [UInt8](base64URL: parts[1]) ?? [], as: UTF8.self)
                == #"{"iss":"DEF123GHIJ","iat":1700000000}"#
        )
    }

    @Test func `the signature is that of the key over header and claims`() throws {
        let publicKey = try P256PrivateKey(pem: pem).publicKey()
        let parts = try parts(try ProviderToken(key: key, issuedAt: 1_700_000_000))
        let signature = try #require([UInt8](base64URL: parts[2]))
        #expect(publicKey.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
    }

    @Test func `a token is used for 50 minutes`() throws {
        var cache = ProviderTokenCache(key: key)
        let first = try cache.current(at: 10_000)
        #expect(first.issuedAt == 10_000)
        #expect(try cache.current(at: 10_000 + 50 * 60 - 1) == first)
        #expect(try cache.current(at: 10_000 + 50 * 60).issuedAt == 13_000)
    }

    @Test func `a clock step backwards renews the token only if it is large`() throws {
        var cache = ProviderTokenCache(key: key)
        let first = try cache.current(at: 10_000)
        #expect(try cache.current(at: 9_940) == first)
        #expect(try cache.current(at: 9_939).issuedAt == 9_939)
    }

    @Test func `an expired token is replaced once, with the current time`() throws {
        var cache = ProviderTokenCache(key: key)
        let first = try cache.current(at: 10_000)
        let second = try #require(try cache.replacement(of: first, for: .expired, at: 10_000 + 20 * 60))
        #expect(second.issuedAt == 11_200)
        // A request that carried the first one gets the second, not a third.
        #expect(try cache.replacement(of: first, for: .expired, at: 11_201) == second)
        #expect(try cache.current(at: 11_201) == second)
    }

    @Test func `a new token that is rejected as expired is replaced by one with a later time, once in 20 minutes`()
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

    @Test func `a corrected token that is rejected as invalid is replaced by one with the current time`() throws {
        var cache = ProviderTokenCache(key: key)
        let first = try cache.current(at: 10_000)
        let second = try #require(try cache.replacement(of: first, for: .expired, at: 10_001))
        let third = try #require(try cache.replacement(of: second, for: .invalid, at: 10_002))
        #expect(third.issuedAt == 10_002)
        #expect(try cache.replacement(of: third, for: .invalid, at: 10_003) == nil)
        #expect(try cache.replacement(of: third, for: .expired, at: 10_003) == nil)
    }

    @Test func `an invalid token is not replaced`() throws {
        var cache = ProviderTokenCache(key: key)
        let first = try cache.current(at: 10_000)
        #expect(try cache.replacement(of: first, for: .invalid, at: 10_000 + 40 * 60) == nil)
    }
}
