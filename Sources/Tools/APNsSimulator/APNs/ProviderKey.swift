import COpenSSL

/// A key on the curve P-256 as developers get it from Apple (.p8): makes new ones, and checks what one has signed.
///
/// The real APNs has the public half only. This stand-in is given the same file as the sender, which holds both.
@safe public final class ProviderKey: @unchecked Sendable {
    // Unchecked: the pointer is set once and given away by nobody; libcrypto counts its references atomically and only
    // reads the key while it verifies.
    private let key: OpaquePointer

    private init(taking key: OpaquePointer) {
        unsafe self.key = key
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    /// A new key, from libcrypto's generator.
    /// - Throws: ``ProviderKeyError/libcrypto(_:)``.
    public static func make() throws(ProviderKeyError) -> ProviderKey {
        guard let key = unsafe rangers_EVP_EC_gen_P256() else { throw .libcrypto("cannot make a key") }
        return unsafe ProviderKey(taking: key)
    }

    /// The key in the text of a .p8 file.
    /// - Throws: ``ProviderKeyError/unreadable`` when it is not a PEM private key without a pass phrase, and
    ///   ``ProviderKeyError/wrongKind(_:)`` when it is a key of another kind.
    public convenience init(pem: String) throws(ProviderKeyError) {
        let bytes = Array(pem.utf8)
        // The pass phrase callback must never ask at a terminal: an empty phrase makes an encrypted key unreadable.
        let read: OpaquePointer? = unsafe bytes.withUnsafeBytes { buffer in
            guard let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { return nil }
            defer { unsafe BIO_free(bio) }
            return unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in 0 }, nil)
        }
        guard let key = unsafe read else {
            ERR_clear_error()
            throw .unreadable
        }
        unsafe self.init(taking: key)
        let group = groupName
        guard group == "prime256v1" else { throw .wrongKind(group ?? "no elliptic curve") }
    }

    /// The key in the form of a .p8 file: PKCS#8 in PEM, without a pass phrase.
    /// - Throws: ``ProviderKeyError/libcrypto(_:)``.
    public func pem() throws(ProviderKeyError) -> String {
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw .libcrypto("no memory for the key's text") }
        defer { unsafe BIO_free(bio) }
        guard unsafe PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1 else {
            throw .libcrypto("cannot write the key")
        }
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(bio))
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe BIO_read(bio, $0.baseAddress, Int32($0.count)) }
        guard Int(count) == bytes.count else { throw .libcrypto("cannot read the key's text") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the key made that signature (ES256 of RFC 7518, section 3.4: r and s, 32 bytes each) over a message.
    func verifies(signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == 64, let der = Self.der(of: signature) else { return false }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        // A wrong signature leaves an entry in the thread's queue of errors, which belongs to whoever fails next.
        defer { ERR_clear_error() }
        return unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestVerify(context, der, der.count, message, message.count) == 1
    }

    /// The signature of a message: r and s, 32 bytes each (ES256 of RFC 7518, section 3.4).
    /// - Throws: ``ProviderKeyError/libcrypto(_:)``.
    func signature(of message: [UInt8]) throws(ProviderKeyError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .libcrypto("no memory to sign with") }
        defer { unsafe EVP_MD_CTX_free(context) }
        var der = [UInt8](repeating: 0, count: 72)
        var count = der.count
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            unsafe EVP_DigestSign(context, &der, &count, message, message.count) == 1
        else { throw .libcrypto("cannot sign") }
        // The reverse of `der(of:)`: each number's length is the byte before it.
        let r = der[4..<4 + Int(der[3])]
        let s = der[(6 + r.count)..<count]
        return [r, s].flatMap { number in
            let digits = number.drop { $0 == 0 }
            return [UInt8](repeating: 0, count: 32 - digits.count) + digits
        }
    }

    private var groupName: String? {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else {
            ERR_clear_error()
            return nil
        }
        return String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// ASN.1's form of a signature, which is the one that libcrypto reads.
    ///
    /// `SEQUENCE { INTEGER r, INTEGER s }`: the numbers have no leading zero bytes, but one where the first bit is set,
    /// since INTEGER is signed. At most 72 bytes, so each length fits into one byte.
    private static func der(of signature: [UInt8]) -> [UInt8]? {
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
            var digits = Array(bytes.drop { $0 == 0 })
            guard let first = digits.first else { return nil }
            if first >= 0x80 { digits.insert(0, at: 0) }
            return [0x02, UInt8(digits.count)] + digits
        }
        guard let r = integer(signature[..<32]), let s = integer(signature[32...]) else { return nil }
        return [0x30, UInt8(r.count + s.count)] + r + s
    }
}
