import Cryptography
import Encodings
import TestSupport
import Testing

@testable import SignInWithApple

struct IdentityTokenTests {
    private static let now = Timestamp(epochSeconds: 1_790_000_000)
    private static let bundleID = "com.example.rangers"

    // MARK: - A token that another program has made: Python's cryptography.

    private static let goldenHeader = "eyJraWQiOiJnb2xkZW4iLCJhbGciOiJSUzI1NiJ9"
    private static let goldenClaims =
        "eyJpc3MiOiJodHRwczovL2FwcGxlaWQuYXBwbGUuY29tIiwiYXVkIjoiY29tLmV4YW1wbGUucmFuZ2VycyIsImV4cCI6MTc5MDA4"
        + "NjQwMCwiaWF0IjoxNzkwMDAwMDAwLCJzdWIiOiIwMDEyMzQuMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYuNTY3OCIs"
        + "Im5vbmNlIjoiYTE4M2ZkMjZhZTU0ZWJhOTNlNGQ0ZWE2YjU1YjIyN2RkNDQwYzgxMDc2YTRkODFlZjQ5ZDUzYzYyNjc2MTM0ZSIs"
        + "ImNfaGFzaCI6ImJtOTBJSFZ6WldRZ2FHVnlaUzQiLCJlbWFpbCI6InE3dzhAcHJpdmF0ZXJlbGF5LmFwcGxlaWQuY29tIiwiZW1h"
        + "aWxfdmVyaWZpZWQiOnRydWUsImlzX3ByaXZhdGVfZW1haWwiOnRydWUsImF1dGhfdGltZSI6MTc5MDAwMDAwMCwibm9uY2Vfc3Vw"
        + "cG9ydGVkIjp0cnVlfQ"
    private static let goldenSignature =
        "fBtZ9Q-vwrAMPLZwnb6X7DTDebEFDuTQodYN3b-MWIrCO-90G1iuGr33ByBlzixrNriJSPZMotpeD_nEqMEIKU9H4W6hz-2B5udx"
        + "fNCslY-HH6zt7IG8fQnrqguiaBanptoVDAhXYSHIRxJc8Unjk23oM9FpV1AJMPYNMTqjKLNgM0k7q_2pmUSvOx7pkNpwrLp3_2cM"
        + "SmjR3JjRHk4pJHhfoBvrVeRMzPsNugz_BeE5tO4mGuQ0BkDMk2n7t-2SDQmSW_lTLuDpPNmSQ2KOg5WfdVwuw0Q3qpZCG9VcPmAv"
        + "wuwQWS0wl_wXtAKhzPGaTXzJ1Xmld-NGrf4lzp7yMw"
    private static let goldenModulus =
        "gsLF6iV1rZJ-QsXkAuv8MfHLzc_gAv3NqKmbA5PG0Y5bwwL35J0TWRGW_tLLgKDIyX5KBR2yBmakGWJc6ATGwWpec1lY1pDrz0Ao"
        + "l8hiMsByLY6JnOG_gfd1pD9aq_vxmoKqBOOQrVNtZ4BVD36ZpVEVoLWXuCuJdmIpq_jx20gttua0Ujp3DMhxoG8WHCUDe-lfofBo"
        + "v3sbxN3b4VAXxBeizzd2llMDH9FMxLfde0X9ZrxrFw--SYK-fYVrvDnmUdjDqxHa1Z5xuUtwPDaTzUYtY6dz02vGc4JPG3MY--L3"
        + "aybSRDnWGACT8jujuVNI_xXC6Pr1zsGCPUXI7ZwHsQ"
    private static let goldenToken = "\(goldenHeader).\(goldenClaims).\(goldenSignature)"
    private static let goldenHash = "5dde6b00527aff9bd6dd5772d761e993b637da74946d450a2c9bf98ef57585fd"

    private func verifyGolden(_ text: String, at now: Timestamp = Self.now) throws -> AppleAccount {
        let keys = """
            {"keys": [{"kty": "EC", "kid": "other", "crv": "P-256", "x": "AA", "y": "AA"},
            {"kty": "RSA", "kid": "golden", "use": "sig", "alg": "RS256", "n": "\(Self.goldenModulus)", "e": "AQAB"}]}
            """
        let token = try IdentityToken(text)
        let key = try #require(try AppleKeySet(json: Array(keys.utf8))[token.keyID])
        return try token.verify(with: key, for: [Self.bundleID], nonce: "golden nonce", at: now)
    }

    @Test func `a token that another program has signed is valid`() throws {
        let account = try verifyGolden(Self.goldenToken)
        #expect(account.hash.hexadecimal == Self.goldenHash)
        #expect(account.tokenIssuedAt == Self.now)
    }

    @Test func `a truncated token is rejected, wherever it ends`() throws {
        for count in 0..<Self.goldenToken.utf8.count {
            #expect(throws: IdentityTokenError.self) { try verifyGolden(String(Self.goldenToken.prefix(count))) }
        }
    }

    @Test func `a token with another part is rejected`() throws {
        let otherClaims = Self.goldenClaims.replacing("MDEyMzQuMDEy", with: "MDEyMzUuMDEy")
        try #require(otherClaims != Self.goldenClaims)
        for text in [
            "\(Self.goldenHeader).\(otherClaims).\(Self.goldenSignature)",
            "\(Self.goldenHeader).\(Self.goldenClaims).\(String(Self.goldenSignature.reversed()))",
            "\(Self.goldenHeader).\(Self.goldenClaims).",
        ] {
            #expect(throws: IdentityTokenError.invalidSignature) { try verifyGolden(text) }
        }
        #expect(throws: IdentityTokenError.malformed) { try verifyGolden("\(Self.goldenToken).\(Self.goldenToken)") }
        #expect(throws: IdentityTokenError.malformed) { try verifyGolden("\(Self.goldenToken)=") }
    }

    @Test func `a token is accepted for 10 minutes and the tolerance, although Apple issues it for a day`() throws {
        for seconds in [-60, 0, 659] {
            #expect(throws: Never.self) { try verifyGolden(Self.goldenToken, at: Self.now + .seconds(seconds)) }
        }
        #expect(throws: IdentityTokenError.notYetValid) {
            try verifyGolden(Self.goldenToken, at: Self.now - .seconds(61))
        }
        #expect(throws: IdentityTokenError.expired) { try verifyGolden(Self.goldenToken, at: Self.now + .seconds(660)) }
    }

    // MARK: - Tokens that are signed correctly, with other contents.

    private static let issuer = Result { try AppleIssuer(keyID: "one") }

    private func verify(_ text: String, nonce: String = "nonce") throws -> AppleAccount {
        let set = try AppleKeySet(json: Array(AppleIssuer.keySet([Self.issuer.get()]).utf8))
        let token = try IdentityToken(text)
        guard let key = set[token.keyID] else { throw IdentityTokenError.unknownKey }
        return try token.verify(with: key, for: [Self.bundleID, "com.example.other"], nonce: nonce, at: Self.now)
    }

    private static func claims(_ changes: [String: String?] = [:]) -> String {
        var claims: [String: String?] = [
            "iss": #""https://appleid.apple.com""#, "aud": #""com.example.rangers""#, "exp": "1790000600",
            "iat": "1790000000", "sub": #""subject""#, "nonce": "\"\(SHA256.hex(of: Array("nonce".utf8)))\"",
        ]
        claims.merge(changes) { $1 }
        let members = claims.compactMap { name, value in value.map { #""\#(name)":\#($0)"# } }
        return "{\(members.sorted().joined(separator: ","))}"
    }

    @Test func `each of several apps is accepted`() throws {
        let issuer = try Self.issuer.get()
        for app in [Self.bundleID, "com.example.other"] {
            #expect(throws: Never.self) {
                try verify(try issuer.token(bundleID: app, nonce: "nonce", at: Self.now))
            }
        }
    }

    @Test(arguments: [
        #"{"kid":"one","alg":"none"}"#, #"{"kid":"one","alg":"HS256"}"#, #"{"kid":"one","alg":"rs256"}"#,
        #"{"kid":"one","alg":"PS256"}"#,
    ])
    func `another algorithm is rejected`(header: String) throws {
        let token = try Self.issuer.get().sign(header: header, claims: Self.claims())
        #expect(throws: IdentityTokenError.wrongAlgorithm) { try verify(token) }
        // A token without a signature, as "none" has it.
        let unsigned = token.split(separator: ".").dropLast().joined(separator: ".") + "."
        #expect(throws: IdentityTokenError.wrongAlgorithm) { try verify(unsigned) }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"alg":"RS256"}"#, #"{"kid":1,"alg":"RS256"}"#, #"{"kid":"one"}"#,
        #"{"kid":"one","alg":"RS256","crit":["b64"],"b64":false}"#, #"{"kid":"one","alg":"RS256"}}"#,
    ])
    func `a malformed header is rejected`(header: String) throws {
        let token = try Self.issuer.get().sign(header: header, claims: Self.claims())
        #expect(throws: IdentityTokenError.malformed) { try verify(token) }
    }

    @Test func `a token of another key is rejected, also under the name of a known one`() throws {
        let impostor = try AppleIssuer(keyID: "two")
        #expect(throws: IdentityTokenError.unknownKey) { try verify(try impostor.token(nonce: "nonce", at: Self.now)) }
        let token = try impostor.sign(header: #"{"kid":"one","alg":"RS256"}"#, claims: Self.claims())
        #expect(throws: IdentityTokenError.invalidSignature) { try verify(token) }
    }

    private static let otherClaims: [([String: String?], IdentityTokenError)] = [
        (["iss": #""https://appleid.apple.com/""#], .wrongIssuer),
        (["iss": #""https://accounts.google.com""#], .wrongIssuer),
        (["aud": #""com.example.stranger""#], .wrongAudience),
        (["aud": #"["com.example.rangers"]"#], .malformed),
        (["exp": "1789999940"], .expired),
        (["exp": "-9223372036854775808"], .expired),
        (["iat": "1789999340"], .expired),
        (["iat": "-9223372036854775808"], .expired),
        (["iat": "1790000061"], .notYetValid),
        (["iat": "9223372036854775807"], .notYetValid),
        (["iat": "9223372036854775808"], .malformed),
        (["exp": #""1790000600""#], .malformed),
        (["exp": nil], .malformed),
        (["sub": #""""#], .malformed),
        (["sub": nil], .malformed),
        (["nonce": nil], .malformed),
        (["nonce": #""nonce""#], .wrongNonce),
        (["nonce": #""""#], .wrongNonce),
    ]

    @Test(arguments: otherClaims)
    func `other claims are rejected`(changes: [String: String?], error: IdentityTokenError) throws {
        let issuer = try Self.issuer.get()
        let header = #"{"kid":"one","alg":"RS256"}"#
        #expect(throws: Never.self) { try verify(try issuer.sign(header: header, claims: Self.claims())) }
        let token = try issuer.sign(header: header, claims: Self.claims(changes))
        #expect(throws: error) { try verify(token) }
    }

    @Test func `a token is valid only with the nonce of its sign-in`() throws {
        let token = try Self.issuer.get().token(nonce: "nonce", at: Self.now)
        for nonce in ["", "Nonce", "nonce2", SHA256.hex(of: Array("nonce".utf8))] {
            #expect(throws: IdentityTokenError.wrongNonce) { try verify(token, nonce: nonce) }
        }
        let unused = try Self.issuer.get().token(nonce: "", at: Self.now)
        #expect(throws: IdentityTokenError.wrongNonce) { try verify(unused, nonce: "") }
    }

    @Test func `a huge token is rejected before it is decoded`() throws {
        #expect(throws: IdentityTokenError.malformed) {
            try verify(
                try Self.issuer.get().token(for: String(repeating: "a", count: 4096), nonce: "nonce", at: Self.now)
            )
        }
        #expect(throws: IdentityTokenError.malformed) { try verify(String(repeating: ".", count: 1_000_000)) }
    }
}
