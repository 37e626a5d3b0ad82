import HTTPTypes

/// One request, ready to be sent.
struct PreparedRequest: Sendable {
    let bytes: [UInt8]
    /// What the statements of requests with the same number lock: those keep their order when they are replayed.
    let shard: UInt8?

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        token: String? = nil,
        key: String? = nil,
        body: String? = nil,
        shard: UInt8? = nil
    ) {
        var lines = ["\(method.rawValue) \(path) HTTP/1.1", "Host: 127.0.0.1"]
        if let token { lines.append("Authorization: Bearer \(token)") }
        if let key { lines.append("Idempotency-Key: \(key)") }
        if let body { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
        bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8)
        self.shard = shard
    }
}
