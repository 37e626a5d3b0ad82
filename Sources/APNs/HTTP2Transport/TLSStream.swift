import COpenSSL
import Cryptography
import Glibc

/// TLS on one connected socket.
///
/// It owns an `SSL`; the socket belongs to someone else and outlives this.
@safe
final class TLSStream {
    /// How a call ended.
    enum Progress: Equatable {
        /// So many bytes were moved; 0 only for a handshake that is complete.
        case done(Int)
        /// Nothing more until the socket can be read.
        case wantsRead
        /// Nothing more until the socket can be written.
        case wantsWrite
        /// The peer closed TLS properly.
        case closed
        case failed(String)
    }

    private let pointer: OpaquePointer

    /// The server's side of a socket that was accepted.
    init?(accepting context: TLSContext, on socket: CInt) {
        guard let pointer = unsafe context.makeConnection() else { return nil }
        unsafe self.pointer = pointer
        guard unsafe SSL_set_fd(pointer, socket) == 1 else { return nil }
        unsafe SSL_set_accept_state(pointer)
    }

    /// The client's side of a socket; the peer must prove that it is that host.
    init?(connecting context: TLSContext, to host: String, on socket: CInt) {
        guard let pointer = unsafe context.makeConnection() else { return nil }
        unsafe self.pointer = pointer
        guard unsafe SSL_set_fd(pointer, socket) == 1, expect(host) else { return nil }
        unsafe SSL_set_connect_state(pointer)
    }

    deinit {
        unsafe SSL_free(pointer)
    }

    func handshake() -> Progress {
        ERR_clear_error()
        let status = unsafe SSL_do_handshake(pointer)
        return status == 1 ? .done(0) : progress(after: status)
    }

    /// Reads what fits into the buffer, at most one record.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Progress {
        ERR_clear_error()
        var count = 0
        let status = unsafe SSL_read_ex(pointer, buffer.baseAddress, buffer.count, &count)
        return status == 1 ? .done(count) : progress(after: status)
    }

    /// Writes at most one record; what was not written is to be offered again, the same bytes first.
    func write(_ bytes: UnsafeRawBufferPointer) -> Progress {
        ERR_clear_error()
        var count = 0
        let status = unsafe SSL_write_ex(pointer, bytes.baseAddress, bytes.count, &count)
        return status == 1 ? .done(count) : progress(after: status)
    }

    /// Tells the peer that nothing follows, if that can be said at once.
    func close() {
        ERR_clear_error()
        _ = unsafe SSL_shutdown(pointer)
        ERR_clear_error()
    }

    /// Whether `h2` was agreed on by ALPN.
    var speaksHTTP2: Bool {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(pointer, &name, &count)
        return unsafe UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }

    /// Sets the name that the certificate must carry, and names it to the server (SNI).
    private func expect(_ host: String) -> Bool {
        unsafe SSL_set_hostflags(pointer, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        // An address is compared with the certificate's addresses, and is no name for SNI (RFC 6066, section 3).
        if unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(pointer), host) == 1 { return true }
        ERR_clear_error()
        return unsafe SSL_set1_host(pointer, host) == 1 && rangers_SSL_set_tlsext_host_name(pointer, host) == 1
    }

    private func progress(after status: CInt) -> Progress {
        // Read first: later calls may change it.
        let systemError = errno
        switch unsafe SSL_get_error(pointer, status) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_SYSCALL where systemError != 0: return .failed(systemErrorText(systemError))
        default: return .failed(failureText())
        }
    }

    private func failureText() -> String {
        let reason = OpenSSLErrorQueue.drain()
        let verification = unsafe SSL_get_verify_result(pointer)
        guard verification != Int(X509_V_OK), let text = unsafe X509_verify_cert_error_string(verification) else {
            return reason
        }
        return unsafe "\(String(cString: text)) (\(reason))"
    }
}
