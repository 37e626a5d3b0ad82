import Encodings
import Cryptography
import Foundation
import GameCore

extension UUID {
    /// The identifier that follows from a name: version 8 (RFC 9562, section 5.8) from its SHA-256.
    init(named name: String) {
        var bytes = Array(SHA256.digest(of: name).prefix(16))
        bytes[6] = 0x80 | (bytes[6] & 0x0f)
        bytes[8] = 0x80 | (bytes[8] & 0x3f)
        self.init(bytes: bytes)
    }
}
