import Cryptography
import Encodings
package import Foundation
import GameCore

extension UUID {
    /// Creates the UUID of a name: version 8 (RFC 9562, section 5.8), from the SHA-256 of the name.
    package init(named name: [UInt8]) {
        var bytes = Array(SHA256.digest(of: name).prefix(16))
        bytes[6] = 0x80 | (bytes[6] & 0x0f)
        bytes[8] = 0x80 | (bytes[8] & 0x3f)
        self.init(bytes: bytes)
    }
}
