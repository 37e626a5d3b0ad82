import Cryptography
import Encodings
import Testing

@testable import APNsSimulator

@Suite struct ProviderTokenCheckTests {
    private static let issuedAt: Int64 = 1_790_000_000
    private let key: TestSigningKey
    private var check: ProviderTokenCheck

    init() throws {
        key = try TestSigningKey()
        check = ProviderTokenCheck(keys: [try key.senderKey()], environment: .sandbox)
    }

    private func moment(_ secondsLater: Int64) -> Timestamp {
        Timestamp(epochSeconds: Self.issuedAt + secondsLater)
    }

    private func bearer(
        header: String = #"{"alg":"ES256","kid":"ABCDE12345"}"#,
        claims: String = #"{"iss":"TEAM123456","iat":1790000000}"#
    ) throws -> String {
        "bearer " + (try key.token(header: header, claims: claims))
    }

    @Test mutating func `a token with the four documented values passes repeatedly`() throws {
        let authorization = try bearer()
        _ = try check.check(authorization: authorization, at: moment(0))
        _ = try check.check(authorization: authorization, at: moment(3600))
    }

    @Test mutating func `a token with its time as a string passes, as at APNs`() throws {
        let authorization = try bearer(claims: #"{"iss":"TEAM123456","iat":"1790000000"}"#)
        #expect(try check.check(authorization: authorization, at: moment(0)).issuedAt == Self.issuedAt)
    }

    @Test mutating func `a token of the simulator's own command passes`() throws {
        let known = try P256PrivateKey(pem: key.pem)
        // Signatures differ, and one in 256 has a leading zero in r or s.
        for _ in 0..<1000 {
            let token = try known.providerToken(keyID: "ABCDE12345", teamID: "TEAM123456", at: moment(0))
            #expect(try check.check(authorization: "bearer \(token)", at: moment(0)).keyID == "ABCDE12345")
        }
    }

    @Test mutating func `a token is valid for an hour, also when it is cached`() throws {
        let authorization = try bearer()
        _ = try check.check(authorization: authorization, at: moment(10))
        #expect(throws: RejectionReason.expiredProviderToken) {
            _ = try check.check(authorization: authorization, at: moment(3601))
        }
    }

    @Test mutating func `a token from the future is rejected, except for a small clock skew`() throws {
        _ = try check.check(authorization: try bearer(), at: moment(-300))
        let milliseconds = try bearer(claims: #"{"iss":"TEAM123456","iat":1790000000000}"#)
        #expect(throws: RejectionReason.invalidProviderToken) {
            _ = try check.check(authorization: milliseconds, at: moment(0))
        }
    }

    @Test mutating func `a request without a token is rejected`() {
        #expect(throws: RejectionReason.missingProviderToken) { try check.check(authorization: nil, at: moment(0)) }
    }

    @Test(arguments: [
        (#"{"alg":"ES384","kid":"ABCDE12345"}"#, #"{"iss":"TEAM123456","iat":1790000000}"#),
        (#"{"alg":"none","kid":"ABCDE12345"}"#, #"{"iss":"TEAM123456","iat":1790000000}"#),
        (#"{"alg":"ES256","kid":"TEAM123456"}"#, #"{"iss":"TEAM123456","iat":1790000000}"#),
        (#"{"alg":"ES256"}"#, #"{"iss":"TEAM123456","iat":1790000000}"#),
        (#"{"alg":"ES256","kid":"ABCDE12345"}"#, #"{"iss":"ABCDE12345","iat":1790000000}"#),
        (#"{"alg":"ES256","kid":"ABCDE12345"}"#, #"{"iss":"TEAM123456"}"#),
        (#"{"alg":"ES256","kid":"ABCDE12345"}"#, #"{"iss":"TEAM123456","iat":"soon"}"#),
        ("not JSON", "either"),
    ])
    mutating func `a correctly signed token with wrong values is rejected`(
        header: String,
        claims: String
    ) throws {
        let authorization = try bearer(header: header, claims: claims)
        #expect(throws: RejectionReason.invalidProviderToken) {
            _ = try check.check(authorization: authorization, at: moment(0))
        }
    }

    @Test mutating func `a token that was changed after signing is rejected`() throws {
        let good = try bearer()
        let other = try key.token(header: #"{"alg":"ES256","kid":"ABCDE12345"}"#, claims: #"{"iss":"X","iat":1}"#)
        let signatureOfOther = try #require(other.split(separator: ".").last)
        let parts = good.split(separator: ".")
        for forged in ["\(parts[0]).\(parts[1]).\(signatureOfOther)", "\(parts[0]).\(parts[1]).", good + "A", "bearer"]
        {
            #expect(throws: RejectionReason.invalidProviderToken) {
                _ = try check.check(authorization: forged, at: moment(0))
            }
        }
    }

    @Test mutating func `a token signed with another key is rejected`() throws {
        let stranger = try TestSigningKey()
        let token = try stranger.token(
            header: #"{"alg":"ES256","kid":"ABCDE12345"}"#,
            claims: #"{"iss":"TEAM123456","iat":1790000000}"#
        )
        #expect(throws: RejectionReason.invalidProviderToken) {
            _ = try check.check(authorization: "bearer " + token, at: moment(0))
        }
    }
}
