import Encodings
import Foundation

/// The claims of a provider token, whose signature is not verified.
struct ProviderTokenClaims {
    let keyID: String
    let issuedAt: Int64

    /// Reads the value of an `authorization` field.
    init?(authorization: String) {
        struct Header: Decodable {
            let kid: String
        }
        struct Claims: Decodable {
            let iat: Int64
        }
        let parts = authorization.dropFirst("bearer ".count).split(separator: ".")
        guard parts.count == 3, let header = Self.decode(Header.self, parts[0]),
            let claims = Self.decode(Claims.self, parts[1])
        else { return nil }
        keyID = header.kid
        issuedAt = claims.iat
    }

    private static func decode<Part: Decodable>(_ type: Part.Type, _ text: Substring) -> Part? {
        Data(base64URL: text).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }
}
