import COpenSSL
import Cryptography
import Glibc

/// TLS on one connected socket.
///
/// It owns an `SSL`. The caller owns the socket, which must outlive this object.
@safe
final class TLSStream {
    /// The result of a call.
    enum Progress: Equatable {
        /// The number of bytes read or written; 0 for a completed handshake.
        case done(Int)
        /// The call must be repeated when the socket is readable.
        case wantsRead
        /// The call must be repeated when the socket is writable.
        case wantsWrite
        /// The peer sent a TLS close notification.
        case closed
        /// The stream failed, for the given reason.
        case failed(String)
    }

    private let pointer: OpaquePointer

    /// Creates the server side of an accepted socket.
    init?(accepting context: TLSContext, on socket: CInt) {
        guard let pointer = unsafe context.makeConnection() else { return nil }
        unsafe self.pointer = pointer
        guard unsafe SSL_set_fd(pointer, socket) == 1 else { return nil }
        unsafe SSL_set_accept_state(pointer)
    }

    /// Creates the client side of a connected socket; the server's certificate must be valid for the host.
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

    /// Reads at most one record into the buffer.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Progress {
        ERR_clear_error()
        var count = 0
        let status = unsafe SSL_read_ex(pointer, buffer.baseAddress, buffer.count, &count)
        return status == 1 ? .done(count) : progress(after: status)
    }

    /// Writes at most one record; the caller repeats the call with the bytes that were not written.
    func write(_ bytes: UnsafeRawBufferPointer) -> Progress {
        ERR_clear_error()
        var count = 0
        let status = unsafe SSL_write_ex(pointer, bytes.baseAddress, bytes.count, &count)
        return status == 1 ? .done(count) : progress(after: status)
    }

    /// Sends a TLS close notification, if the socket accepts it at once.
    func close() {
        ERR_clear_error()
        _ = unsafe SSL_shutdown(pointer)
        ERR_clear_error()
    }

    /// Whether ALPN negotiated `h2`.
    var speaksHTTP2: Bool {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(pointer, &name, &count)
        return unsafe UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }

    /// Sets the host name to verify the certificate against and to send as SNI.
    private func expect(_ host: String) -> Bool {
        unsafe SSL_set_hostflags(pointer, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        // An IP address is compared with the certificate's addresses, and is not allowed in SNI (RFC 6066, section 3).
        if unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(pointer), host) == 1 { return true }
        ERR_clear_error()
        return unsafe SSL_set1_host(pointer, host) == 1 && rangers_SSL_set_tlsext_host_name(pointer, host) == 1
    }

    private func progress(after status: CInt) -> Progress {
        // Later calls may change errno.
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
