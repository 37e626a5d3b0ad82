import COpenSSL

/// OpenSSL's error queue of the current thread.
package enum OpenSSLErrorQueue {
    /// Removes all errors from the queue.
    ///
    /// Call this right after each failed call: an error that stays in the queue is attributed to a later call.
    /// - Returns: the reasons in one line.
    @discardableResult
    package static func drain() -> String {
        var reasons: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { break }
            reasons.append(reason(of: code))
        }
        return reasons.isEmpty ? "OpenSSL gives no reason" : reasons.joined(separator: "; ")
    }

    private static func reason(of code: UInt) -> String {
        guard let reason = unsafe ERR_reason_error_string(code) else { return "OpenSSL error \(code)" }
        return unsafe String(cString: reason)
    }
}
