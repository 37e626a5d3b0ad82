import Cryptography
import Encodings
import Foundation

/// Validates the `authorization` header as "Establishing a token-based connection to APNs" specifies.
///
/// Valid tokens are cached: a sender uses one for most of an hour, and verifying its signature is the most expensive
/// check.
struct ProviderTokenCheck: Sendable {
    /// Apple's maximum age of a token.
    static let maxAgeSeconds: Int64 = 3600
    /// The maximum time by which a sender's clock may be ahead.
    ///
    /// Apple documents no limit. This one detects times in milliseconds and local times, and tolerates inaccurate
    /// clocks.
    static let maxSkewSeconds: Int64 = 300

    /// The size of the cache; each sender uses one token at a time.
    private static let rememberedTokens = 100

    private let keys: [String: SenderKey]
    private let environment: EmulatedEnvironment
    /// Valid tokens by header value.
    private var passed: [String: VerifiedProviderToken] = [:]

    /// Creates a check that trusts some keys.
    /// - Parameters:
    ///   - keys: the trusted keys; of two with the same identifier the last one counts.
    ///   - environment: the environment that the keys must be valid for.
    init(keys: [SenderKey], environment: EmulatedEnvironment) {
        self.keys = Dictionary(keys.map { ($0.keyID, $0) }) { $1 }
        self.environment = environment
    }

    /// Validates an `authorization` header.
    /// - Returns: the provider token.
    /// - Throws: the rejection to answer with.
    mutating func check(authorization: String?, at now: Timestamp) throws(RejectionReason) -> VerifiedProviderToken {
        guard let authorization else { throw .missingProviderToken }
        let token: VerifiedProviderToken
        if let known = passed[authorization] {
            token = known
        } else {
            let fields = authorization.split(separator: " ")
            guard fields.count == 2, fields[0].lowercased() == "bearer" else { throw .invalidProviderToken }
            token = try read(fields[1])
            if passed.count == Self.rememberedTokens { passed = [:] }
            passed[authorization] = token
        }
        let (age, isBeyondAllTime) = now.epochSeconds.subtractingReportingOverflow(token.issuedAt)
        guard !isBeyondAllTime, age >= -Self.maxSkewSeconds else { throw .invalidProviderToken }
        guard age <= Self.maxAgeSeconds else { throw .expiredProviderToken }
        return token
    }

    /// Decodes and verifies a token, except for its age.
    private func read(_ text: Substring) throws(RejectionReason) -> VerifiedProviderToken {
        struct Header: Decodable {
            let alg: String
            let kid: String
        }
        struct Claims: Decodable {
            let iss: String
            let iat: Seconds
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.decode(Header.self, parts[0]),
            let claims = Self.decode(Claims.self, parts[1]),
            let signature = [UInt8](base64URL: parts[2])
        else { throw .invalidProviderToken }
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        guard header.alg == "ES256", let key = keys[header.kid], claims.iss == key.teamID,
            key.key.isValidSignature(signature, for: signed)
        else { throw .invalidProviderToken }
        guard key.environment == nil || key.environment == environment else { throw .badEnvironmentKeyInToken }
        return VerifiedProviderToken(text: text, keyID: header.kid, teamID: claims.iss, issuedAt: claims.iat.value)
    }

    /// A number of seconds, as a JSON number or as a string: a common sender library writes strings, and APNs accepts
    /// them.
    private struct Seconds: Decodable {
        let value: Int64

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do {
                value = try container.decode(Int64.self)
            } catch {
                guard let number = Int64(try container.decode(String.self)) else { throw error }
                value = number
            }
        }
    }

    /// Decodes one part of the token; nil on failure, without a reason, as APNs reports none.
    private static func decode<Part: Decodable>(_ type: Part.Type, _ text: Substring) -> Part? {
        guard let data = Data(base64URL: text) else { return nil }
        return try? JSONDecoder().decode(type, from: data)
    }
}
