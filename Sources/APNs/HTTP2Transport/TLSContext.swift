import COpenSSL
import Cryptography

/// The shared TLS configuration of all connections of a client or server.
///
/// It owns an `SSL_CTX`. TLS 1.2 is the lowest version (Apple, "Sending notification requests to APNs"; RFC 9113,
/// section 9.2).
@safe
final class TLSContext {
    /// The protocol list for ALPN: each name follows its length.
    private static let alpn: [UInt8] = [2] + Array("h2".utf8)

    /// The size of OpenSSL's read buffer; a record has at most a little over 16 KiB.
    private static let readBufferBytes = 64 * 1024

    private let pointer: OpaquePointer

    private init(method: OpaquePointer?) throws(TransportError) {
        guard let pointer = unsafe SSL_CTX_new(method) else {
            throw .systemResource("No TLS context: \(OpenSSLErrorQueue.drain())")
        }
        unsafe self.pointer = pointer
        _ = unsafe rangers_SSL_CTX_set_min_proto_version(pointer, TLS1_2_VERSION)
        unsafe rangers_SSL_CTX_refuse_renegotiation(pointer)
        // HTTP2Link's output buffer may move between the attempts of a write, and handles partial writes.
        let modes = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
        _ = unsafe rangers_SSL_CTX_set_mode(pointer, Int(modes))
        // Without read-ahead each record costs two system calls, one for its header.
        _ = unsafe rangers_SSL_CTX_set_read_ahead(pointer, 1)
        unsafe SSL_CTX_set_default_read_buffer_len(pointer, Self.readBufferBytes)
    }

    deinit {
        unsafe SSL_CTX_free(pointer)
    }

    /// Creates the context of a client, which verifies certificate chains; each connection verifies its host name.
    convenience init(trusting trust: TLSTrust) throws(TransportError) {
        unsafe try self.init(method: TLS_client_method())
        unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        // Unlike others, this function returns 0 for success.
        let status = unsafe SSL_CTX_set_alpn_protos(pointer, Self.alpn, UInt32(Self.alpn.count))
        precondition(status == 0, "the list of protocols is well formed")
        switch trust {
        case .system: try trustSystem()
        case .file(let path): try trustFile(path)
        case .authorities(let pem): try trustAuthorities(pem)
        }
    }

    /// Creates the context of a server, which presents the identity and requires `h2`.
    convenience init(identity: TLSIdentity) throws(TransportError) {
        unsafe try self.init(method: TLS_server_method())
        unsafe SSL_CTX_set_alpn_select_cb(pointer, chooseHTTP2, nil)
        let certificates = try Certificate.all(inPEM: identity.certificateChainPEM)
        let key = try PrivateKey.forCertificate(pem: identity.privateKeyPEM)
        for (index, certificate) in certificates.enumerated() {
            guard unsafe certificate.withPointer({ unsafe use($0, isLeaf: index == 0) }) else {
                throw .unusableCertificate("Certificate \(index + 1) of the chain: \(OpenSSLErrorQueue.drain())")
            }
        }
        guard unsafe key.withPointer({ unsafe SSL_CTX_use_PrivateKey(pointer, $0) }) == 1 else {
            throw .unusableCertificate("The key is not that of the certificate: \(OpenSSLErrorQueue.drain())")
        }
    }

    /// Whether connections refuse the peer's renegotiations.
    var refusesRenegotiation: Bool { unsafe rangers_SSL_CTX_refuses_renegotiation(pointer) == 1 }

    /// Creates an `SSL`, which the caller owns.
    func makeConnection() -> OpaquePointer? {
        unsafe SSL_new(pointer)
    }

    private func trustSystem() throws(TransportError) {
        guard unsafe SSL_CTX_set_default_verify_paths(pointer) == 1 else {
            throw .unusableCertificate("The system's certificate authorities: \(OpenSSLErrorQueue.drain())")
        }
    }

    private func trustFile(_ path: String) throws(TransportError) {
        guard unsafe SSL_CTX_load_verify_locations(pointer, path, nil) == 1 else {
            throw .unusableCertificate("The file of certificate authorities \(path): \(OpenSSLErrorQueue.drain())")
        }
    }

    private func trustAuthorities(_ pem: String) throws(TransportError) {
        let store = unsafe SSL_CTX_get_cert_store(pointer)
        for authority in try Certificate.all(inPEM: pem) {
            guard unsafe authority.withPointer({ unsafe X509_STORE_add_cert(store, $0) }) == 1 else {
                throw .unusableCertificate("A certificate authority: \(OpenSSLErrorQueue.drain())")
            }
        }
    }

    private func use(_ certificate: OpaquePointer, isLeaf: Bool) -> Bool {
        if isLeaf { return unsafe SSL_CTX_use_certificate(pointer, certificate) == 1 }
        // "add0" takes ownership of a reference.
        unsafe X509_up_ref(certificate)
        return unsafe rangers_SSL_CTX_add0_chain_cert(pointer, certificate) == 1
    }
}

/// Selects `h2` from the client's protocols, or ends the handshake with an alert.
private func chooseHTTP2(
    _: OpaquePointer?,
    chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    chosenCount: UnsafeMutablePointer<UInt8>?,
    offered: UnsafePointer<UInt8>?,
    offeredCount: UInt32,
    _: UnsafeMutableRawPointer?
) -> CInt {
    let offers = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
    var index = 0
    while index < offers.count {
        let count = unsafe Int(offers[index])
        let name = unsafe offers[(index + 1)...].prefix(count)
        if unsafe name.elementsEqual("h2".utf8) {
            // The result points into the client's list, which outlives this call.
            unsafe chosen?.pointee = offered.map { unsafe $0 + index + 1 }
            unsafe chosenCount?.pointee = 2
            return SSL_TLSEXT_ERR_OK
        }
        index += 1 + count
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
