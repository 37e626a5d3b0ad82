import COpenSSL
import Cryptography

/// A certificate that is not yet signed.
@safe
final class CertificateDraft {
    private let pointer: OpaquePointer

    /// Creates a draft of version 3 with a random serial number.
    ///
    /// The validity begins an hour ago, since clocks differ.
    init(subject: String, issuer: String, publicKey: PrivateKey, validDays: Int) throws(TransportError) {
        guard let pointer = unsafe X509_new() else { fatalError("no memory for a certificate") }
        unsafe self.pointer = pointer
        let isFilled =
            unsafe X509_set_version(pointer, Int(X509_VERSION_3)) == 1
            && setSerialNumber()
            && X509_gmtime_adj(X509_getm_notBefore(pointer), -3600) != nil
            && X509_time_adj_ex(X509_getm_notAfter(pointer), CInt(validDays), 0, nil) != nil
            && addCommonName(subject, to: X509_get_subject_name(pointer))
            && addCommonName(issuer, to: X509_get_issuer_name(pointer))
            && publicKey.withPointer { unsafe X509_set_pubkey(pointer, $0) == 1 }
        guard isFilled else { throw .unusableCertificate("A certificate for \(subject): \(OpenSSLErrorQueue.drain())") }
    }

    deinit {
        unsafe X509_free(pointer)
    }

    /// Adds an extension in the syntax of OpenSSL's configuration files.
    func add(_ identifier: CInt, _ value: String) throws(TransportError) {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, pointer, pointer, nil, nil, 0)
        guard let extensionPointer = unsafe X509V3_EXT_conf_nid(nil, &context, identifier, value) else {
            throw .unusableCertificate("The extension \(value): \(OpenSSLErrorQueue.drain())")
        }
        defer { unsafe X509_EXTENSION_free(extensionPointer) }
        guard unsafe X509_add_ext(pointer, extensionPointer, -1) == 1 else {
            throw .unusableCertificate("The extension \(value): \(OpenSSLErrorQueue.drain())")
        }
    }

    /// Signs the certificate with an authority's key and SHA-256.
    func sign(with key: PrivateKey) throws(TransportError) -> Certificate {
        guard unsafe key.withPointer({ unsafe X509_sign(pointer, $0, EVP_sha256()) }) != 0,
            unsafe X509_up_ref(pointer) == 1
        else { throw .unusableCertificate("A certificate could not be signed: \(OpenSSLErrorQueue.drain())") }
        return unsafe Certificate(available: pointer)
    }

    /// Sets a positive serial number of 127 random bits.
    private func setSerialNumber() -> Bool {
        guard let number = unsafe BN_new() else { return false }
        defer { unsafe BN_free(number) }
        return unsafe BN_rand(number, 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1
            && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer)) != nil
    }

    private func addCommonName(_ name: String, to target: OpaquePointer?) -> Bool {
        unsafe X509_NAME_add_entry_by_txt(target, "CN", MBSTRING_UTF8, name, CInt(name.utf8.count), -1, 0) == 1
    }
}
