import Encodings
import Foundation

/// Checks the `authorization` header as "Establishing a token-based connection to APNs" demands it.
///
/// A token that has passed is remembered, since a sender uses the same one for the better part of an hour and the
/// signature is the most expensive check of all.
struct ProviderTokenCheck: Sendable {
    /// Apple refuses older tokens.
    static let maximumAgeSeconds: Int64 = 3600
    /// How far ahead of this clock a sender's may be.
    ///
    /// Apple names no number; this one catches milliseconds and local time, and forgives clocks that are merely wrong.
    static let maximumSkewSeconds: Int64 = 300

    /// Each sender uses one token at a time; more than these are not remembered.
    private static let rememberedTokens = 100

    private let keys: [String: SenderKey]
    private let environment: PushEnvironment
    /// By the whole header.
    private var passed: [String: ProviderToken] = [:]

    /// - Parameters:
    ///   - keys: whose signatures are good; of two with one identifier the last counts.
    ///   - environment: what the keys must be good for.
    init(keys: [SenderKey], environment: PushEnvironment) {
        self.keys = Dictionary(keys.map { ($0.keyID, $0) }) { $1 }
        self.environment = environment
    }

    /// Passes or refuses a request by its `authorization` header.
    /// - Returns: the token that it carries.
    mutating func check(authorization: String?, at now: Moment) throws(APNsRefusal) -> ProviderToken {
        guard let authorization else { throw .missingProviderToken }
        let token: ProviderToken
        if let known = passed[authorization] {
            token = known
        } else {
            let words = authorization.split(separator: " ")
            guard words.count == 2, words[0].lowercased() == "bearer" else { throw .invalidProviderToken }
            token = try read(words[1])
            if passed.count == Self.rememberedTokens { passed = [:] }
            passed[authorization] = token
        }
        let (age, isBeyondAllTime) = now.epochSeconds.subtractingReportingOverflow(token.issuedAt)
        guard !isBeyondAllTime, age >= -Self.maximumSkewSeconds else { throw .invalidProviderToken }
        guard age <= Self.maximumAgeSeconds else { throw .expiredProviderToken }
        return token
    }

    /// A token that is in order but for its age.
    private func read(_ text: Substring) throws(APNsRefusal) -> ProviderToken {
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
            let signature = Data(base64URL: parts[2])
        else { throw .invalidProviderToken }
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        guard header.alg == "ES256", let key = keys[header.kid], claims.iss == key.teamID,
            key.key.verifies(signature: Array(signature), of: signed)
        else { throw .invalidProviderToken }
        guard key.environment == nil || key.environment == environment else { throw .badEnvironmentKeyInToken }
        return ProviderToken(text: text, keyID: header.kid, teamID: claims.iss, issuedAt: claims.iat.value)
    }

    /// A number of seconds, also as a text: that is how a common library of senders writes it, and APNs takes it.
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

    /// APNs tells a sender nothing about what cannot be decoded, so neither do we.
    private static func decode<Part: Decodable>(_ type: Part.Type, _ text: Substring) -> Part? {
        guard let data = Data(base64URL: text) else { return nil }
        return try? JSONDecoder().decode(type, from: data)
    }
}

extension Data {
    /// Decodes base64url without padding (RFC 7515, section 2); nil for anything else.
    fileprivate init?(base64URL text: Substring) {
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") })
        else { return nil }
        var base64 = String(text.replacing("-", with: "+").replacing("_", with: "/"))
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        self.init(base64Encoded: base64)
    }
}
