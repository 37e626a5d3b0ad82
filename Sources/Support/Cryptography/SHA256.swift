import COpenSSL
import Encodings

/// SHA-256, computed by libcrypto.
public enum SHA256 {
    /// The length of a digest in bytes.
    public static let byteCount = 32

    /// The algorithm, looked up once: libcrypto would look it up for each digest.
    ///
    /// `nonisolated(unsafe)` because it is a pointer to a constant object, which threads may share.
    nonisolated(unsafe) private static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

    /// Returns the 32-byte digest of bytes.
    public static func digest(of bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
            var length: UInt32 = 0
            let status = unsafe EVP_Digest(bytes, bytes.count, digest.baseAddress, &length, algorithm, nil)
            precondition(status == 1 && length == byteCount, "libcrypto always provides SHA-256")
            count = byteCount
        }
    }

    /// Returns the 32-byte digest of a text in UTF-8.
    public static func digest(of text: String) -> [UInt8] {
        digest(of: Array(text.utf8))
    }

    /// Returns the digest of bytes as 64 hexadecimal digits in lower case.
    public static func hex(of bytes: [UInt8]) -> String {
        digest(of: bytes).hexadecimal
    }
}
