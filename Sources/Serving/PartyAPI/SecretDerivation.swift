import Cryptography
import GameEngine
import ServiceRuntime

/// Derives the secrets of a response from a secret of the request and stored random bytes.
///
/// A repeated request gets the same secrets, although the server stores none of them: the random bytes alone reveal
/// nothing, and neither does the secret of the request.
struct SecretDerivation: Sendable {
    private let secret: String
    private let salt: [UInt8]

    init(from secret: String, salt: [UInt8]) {
        self.secret = secret
        self.salt = salt
    }

    /// Returns new secrets, for a request without idempotency key.
    static func random(_ runtime: Runtime) -> Self {
        var generator = runtime.generator()
        return Self(from: "", salt: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// The token.
    var token: BearerToken { BearerToken(for: .player, bytes: bytes("token")) }

    /// The recovery code.
    var recoveryCode: RecoveryCode { RecoveryCode(bytes: bytes("recovery code")) }

    /// The hashes of both.
    var hashes: SecretHashes { SecretHashes(token: token.hash, recoveryCode: recoveryCode.hash) }

    /// Returns the 32 bytes of a secret.
    func bytes(_ purpose: String) -> [UInt8] {
        SHA256.digest(of: Array("\(purpose)\n".utf8) + salt + Array(secret.utf8))
    }
}
