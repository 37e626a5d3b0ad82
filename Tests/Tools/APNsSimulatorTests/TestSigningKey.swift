import COpenSSL
import Encodings
import Foundation
import Testing

@testable import APNsSimulator

/// A provider's side of a key: signs tokens as a sender would.
@safe final class TestSigningKey {
    /// The key as a .p8 file has it.
    let pem: String

    private let key: OpaquePointer

    init() throws {
        pem = try ProviderKey.make().pem()
        let bytes = Array(pem.utf8)
        let read: OpaquePointer? = unsafe bytes.withUnsafeBytes { buffer in
            let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count))
            defer { unsafe BIO_free(bio) }
            return unsafe PEM_read_bio_PrivateKey(bio, nil, nil, nil)
        }
        unsafe key = try #require(unsafe read)
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    /// A JSON Web Token in compact form, signed by ES256.
    func token(header: String, claims: String) throws -> String {
        let signed = base64URL(Data(header.utf8)) + "." + base64URL(Data(claims.utf8))
        return signed + "." + base64URL(Data(try signature(of: Array(signed.utf8))))
    }

    /// The `authorization` of a request at that time.
    func authorization(keyID: String, teamID: String, at now: Moment) throws -> String {
        let claims = #"{"iss":"\#(teamID)","iat":\#(now.epochSeconds)}"#
        return "bearer " + (try token(header: #"{"alg":"ES256","kid":"\#(keyID)"}"#, claims: claims))
    }

    /// The key as the simulator knows it.
    static func known(_ key: TestSigningKey) throws -> [SenderKey] {
        [SenderKey(key: try ProviderKey(pem: key.pem), keyID: "ABCDE12345", teamID: "TEAM123456")]
    }

    private func signature(of message: [UInt8]) throws -> [UInt8] {
        let context = unsafe try #require(unsafe EVP_MD_CTX_new())
        defer { unsafe EVP_MD_CTX_free(context) }
        try #require(unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1)
        var der = [UInt8](repeating: 0, count: 80)
        var count = der.count
        try #require(unsafe EVP_DigestSign(context, &der, &count, message, message.count) == 1)
        return Self.raw(Array(der.prefix(count)))
    }

    /// `SEQUENCE { INTEGER r, INTEGER s }` as r and s in 32 bytes each.
    private static func raw(_ der: [UInt8]) -> [UInt8] {
        let lengthOfR = Int(der[3])
        let r = der[4..<4 + lengthOfR]
        let s = der[(6 + lengthOfR)...]
        return [r, s].flatMap { number in
            let digits = Array(number.drop { $0 == 0 })
            return [UInt8](repeating: 0, count: 32 - digits.count) + digits
        }
    }

    private func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
