import Cryptography
import Encodings
import Foundation

/// Apple's public keys: a JSON Web Key Set (RFC 7517, section 5).
struct AppleKeySet: Hashable, Sendable {
    /// The maximum length of the JSON; Apple's has some 1,500 bytes.
    static let maxBytes = 64 * 1024
    /// The maximum number of keys; Apple has three or four.
    static let maxKeys = 32

    private struct KeySet: Decodable {
        let keys: [Key]
    }

    private struct Key: Decodable {
        let kty: String
        let kid: String?
        let use: String?
        let alg: String?
        let n: String?
        let e: String?
    }

    private let keys: [String: RSAPublicKey]

    /// Reads a key set.
    ///
    /// Keys of other kinds and purposes than RS256 signatures are left out, as the standard requires.
    /// - Throws: ``AppleKeysError`` if the JSON is malformed or too long, or has no usable key.
    init(json: [UInt8]) throws(AppleKeysError) {
        guard json.count <= Self.maxBytes else {
            throw AppleKeysError("The key set has more than \(Self.maxBytes) bytes")
        }
        guard let set = try? JSONDecoder().decode(KeySet.self, from: Data(json)), set.keys.count <= Self.maxKeys else {
            throw AppleKeysError("The content is not a JSON Web Key Set of at most \(Self.maxKeys) keys")
        }
        var keys: [String: RSAPublicKey] = [:]
        for key in set.keys where key.kty == "RSA" && key.use ?? "sig" == "sig" && key.alg ?? "RS256" == "RS256" {
            guard
                let keyID = key.kid,
                let modulus = key.n.flatMap({ [UInt8](base64URL: $0) }),
                let exponent = key.e.flatMap({ [UInt8](base64URL: $0) })
            else { continue }
            keys[keyID] = RSAPublicKey(modulus: modulus, exponent: exponent)
        }
        guard !keys.isEmpty else { throw AppleKeysError("The key set has no RSA key of 2048 to 4096 bits for RS256") }
        self.keys = keys
    }

    /// Returns the key with an identifier; nil if there is none.
    subscript(keyID: String) -> RSAPublicKey? { keys[keyID] }
}

/// The reason why Apple's keys cannot be used.
public struct AppleKeysError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason in one sentence, without a full stop.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
