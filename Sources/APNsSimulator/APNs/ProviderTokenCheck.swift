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

    private let key: ProviderKey
    private let keyID: String
    private let teamID: String
    private var lastPassed: (token: Substring, issuedAt: Int64)?

    /// - Parameters:
    ///   - key: whose signature is good.
    ///   - keyID: what `kid` must be.
    ///   - teamID: what `iss` must be.
    init(key: ProviderKey, keyID: String, teamID: String) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
    }

    /// Passes or refuses a request by its `authorization` header.
    mutating func check(authorization: String?, at now: Moment) throws(APNsRefusal) {
        guard let authorization else { throw .missingProviderToken }
        let words = authorization.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { throw .invalidProviderToken }
        let issuedAt: Int64
        if let lastPassed, lastPassed.token == words[1] {
            issuedAt = lastPassed.issuedAt
        } else {
            issuedAt = try issueTime(of: words[1])
            lastPassed = (words[1], issuedAt)
        }
        let (age, isBeyondAllTime) = now.epochSeconds.subtractingReportingOverflow(issuedAt)
        guard !isBeyondAllTime, age >= -Self.maximumSkewSeconds else { throw .invalidProviderToken }
        guard age <= Self.maximumAgeSeconds else { throw .expiredProviderToken }
    }

    /// The `iat` of a token that is in order but for its age.
    private func issueTime(of token: Substring) throws(APNsRefusal) -> Int64 {
        struct Header: Decodable {
            let alg: String
            let kid: String
        }
        struct Claims: Decodable {
            let iss: String
            let iat: Int64
        }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.decode(Header.self, parts[0]),
            let claims = Self.decode(Claims.self, parts[1]),
            let signature = Data(base64URL: parts[2])
        else { throw .invalidProviderToken }
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        guard header.alg == "ES256", header.kid == keyID, claims.iss == teamID,
            key.verifies(signature: Array(signature), of: signed)
        else { throw .invalidProviderToken }
        return claims.iat
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
