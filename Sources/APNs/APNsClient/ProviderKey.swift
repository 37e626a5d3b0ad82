import COpenSSL
import HTTP2Transport

/// The key that signs provider tokens, with the two identifiers that go into them.
public struct ProviderKey: Hashable, Sendable {
    /// Ten characters that Apple gave the key.
    public let keyID: String
    /// Ten characters that Apple gave the team.
    public let teamID: String

    /// As OpenSSL writes it, so that equal keys have equal texts; its own form is made for each signature, less than once
    /// in half an hour.
    private let pem: String

    /// The key of a `.p8` file.
    /// - Parameters:
    ///   - pem: the content of the file.
    ///   - keyID: ten capital letters and digits.
    ///   - teamID: ten capital letters and digits.
    /// - Throws: `ProviderKeyError` when APNs could not accept a token of it.
    public init(pem: String, keyID: String, teamID: String) throws(ProviderKeyError) {
        guard Self.isIdentifier(keyID) else { throw .malformedKeyID(keyID) }
        guard Self.isIdentifier(teamID) else { throw .malformedTeamID(teamID) }
        self.keyID = keyID
        self.teamID = teamID
        let privateKey = try Self.read(pem)
        self.pem = privateKey.pem
        let kind = Self.kind(of: privateKey)
        guard kind == "prime256v1" else { throw .notP256(found: kind) }
    }

    /// The signature of a text by ES256 in JOSE's form: r and s, 32 bytes each (RFC 7518, section 3.4).
    func sign(_ text: String) throws(ProviderKeyError) -> [UInt8] {
        let der = unsafe try Self.read(pem).withPointer { unsafe Self.signature(of: Array(text.utf8), by: $0) }
        guard let raw = Self.rawSignature(der) else { throw .unreadable(reason: "it signs nothing") }
        return raw
    }

    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }

    private static func read(_ pem: String) throws(ProviderKeyError) -> PrivateKey {
        do throws(TransportError) {
            return try PrivateKey(pem: pem)
        } catch {
            throw .unreadable(reason: error.description)
        }
    }

    /// The name of an EC key's curve, or of the key's type.
    private static func kind(of key: PrivateKey) -> String {
        unsafe key.withPointer { pointer in
            var name = [CChar](repeating: 0, count: 80)
            var count = 0
            if unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &count) == 1 {
                return String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
            }
            guard let type = unsafe EVP_PKEY_get0_type_name(pointer) else { return "unknown" }
            return unsafe String(cString: type)
        }
    }

    /// The signature with SHA-256, in DER.
    private static func signature(of bytes: [UInt8], by key: OpaquePointer) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { return [] }
        defer { unsafe EVP_MD_CTX_free(context) }
        var count = unsafe Int(EVP_PKEY_get_size(key))
        var signature = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            unsafe EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1
        else { return [] }
        return Array(signature.prefix(count))
    }

    /// r and s out of the DER, each filled up with zeros in front.
    private static func rawSignature(_ der: [UInt8]) -> [UInt8]? {
        unsafe der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            guard let signature = unsafe d2i_ECDSA_SIG(nil, &start, bytes.count) else { return nil }
            defer { unsafe ECDSA_SIG_free(signature) }
            var raw = [UInt8](repeating: 0, count: 64)
            let isWhole = unsafe raw.withUnsafeMutableBufferPointer { raw in
                guard let target = raw.baseAddress else { return false }
                return unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), target, 32) == 32
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), target + 32, 32) == 32
            }
            return isWhole ? raw : nil
        }
    }
}

extension ProviderKey: CustomStringConvertible, CustomReflectable {
    /// The identifiers; never the key.
    public var description: String { "ProviderKey(\(keyID) of team \(teamID), key redacted)" }

    /// As little as `description` tells, also in a dump.
    public var customMirror: Mirror { Mirror(reflecting: description) }
}
