/// What one stream carries in one direction: fields, the pseudo-header fields first, and a body.
struct HTTP2Message: Hashable, Sendable {
    var headers: HTTP2Headers = []
    var body: [UInt8] = []
}

/// The fields of one message that is sent, in two parts that lie in different places.
struct HTTP2HeaderParts: Sendable {
    var first: HTTP2Headers = []
    var second: HTTP2Headers = []
}
