/// What one stream carries in one direction: fields, the pseudo-header fields first, and a body.
struct HTTP2Message: Hashable, Sendable {
    var headers: [HTTP2Header] = []
    var body: [UInt8] = []
}
