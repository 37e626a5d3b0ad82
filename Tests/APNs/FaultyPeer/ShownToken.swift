import Foundation

/// What a provider token says of itself; its signature is not looked at.
struct ShownToken {
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
        var base64 = String(text).replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        return Data(base64Encoded: base64).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }
}
