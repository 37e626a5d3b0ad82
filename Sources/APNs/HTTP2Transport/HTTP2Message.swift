/// A received message: fields, beginning with the pseudo-header fields, and a body.
struct HTTP2Message: Hashable, Sendable {
    var headers: HTTP2Headers = []
    var body: [UInt8] = []
}

/// A message to send: two lists of fields, and a body.
///
/// It is one object, so that passing it costs one retain instead of three.
final class HTTP2SentMessage: Sendable {
    let first: HTTP2Headers
    let second: HTTP2Headers
    let body: [UInt8]

    init(first: HTTP2Headers, second: HTTP2Headers = [], body: [UInt8] = []) {
        self.first = first
        self.second = second
        self.body = body
    }
}

extension HTTP2SentMessage: Hashable {
    static func == (first: HTTP2SentMessage, second: HTTP2SentMessage) -> Bool {
        first === second
            || first.first == second.first && first.second == second.second && first.body == second.body
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(first)
        hasher.combine(second)
        hasher.combine(body)
    }
}
