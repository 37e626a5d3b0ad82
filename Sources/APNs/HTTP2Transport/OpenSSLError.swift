import COpenSSL

/// OpenSSL's errors of this thread.
enum OpenSSLError {
    /// Takes everything out of the thread's error queue and says it in one line; a leftover would be blamed
    /// on a later call.
    static func takeAll() -> String {
        var texts: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { break }
            texts.append(text(of: code))
        }
        return texts.isEmpty ? "OpenSSL gives no reason" : texts.joined(separator: "; ")
    }

    private static func text(of code: UInt) -> String {
        guard let reason = unsafe ERR_reason_error_string(code) else { return "OpenSSL error \(code)" }
        return unsafe String(cString: reason)
    }
}
