import COpenSSL

/// SHA-256 by libcrypto: for stored tokens, migrations and repeated requests.
public enum SHA256 {
    /// The length of every digest.
    public static let byteCount = 32

    /// The digest of some bytes.
    /// - Returns: 32 bytes.
    public static func digest(of bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
            var length: UInt32 = 0
            let status = unsafe EVP_Digest(bytes, bytes.count, digest.baseAddress, &length, EVP_sha256(), nil)
            precondition(status == 1 && length == byteCount, "libcrypto always has SHA-256 and its memory")
            count = byteCount
        }
    }

    /// The digest of a text's UTF-8.
    public static func digest(of text: String) -> [UInt8] {
        digest(of: Array(text.utf8))
    }

    /// The digest in hexadecimal, 64 digits in lower case.
    public static func hex(of bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(digest(of: bytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
