import HTTP2Transport

/// A provider token, with a cache of the header fields that pushes of each topic, type and priority share.
struct Credentials {
    private struct Kind: Hashable {
        let topic: String
        let pushType: APNsPush.PushType
        let priority: APNsPush.Priority
    }

    /// The size limit of the cache: one app needs two entries, one for each priority.
    private static let maxEntries = 16

    let token: ProviderToken
    /// The cache; a linear search of so few entries is faster than hashing.
    private var entries: [(kind: Kind, headers: HTTP2Headers)] = []

    init(_ token: ProviderToken) {
        self.token = token
    }

    mutating func headers(for push: APNsPush) -> HTTP2Headers {
        let kind = Kind(topic: push.topic, pushType: push.pushType, priority: push.priority)
        if let found = entries.first(where: { $0.kind == kind }) { return found.headers }
        let headers = HTTP2Headers(push.sharedFields(authorization: token.authorization))
        if entries.count == Self.maxEntries { entries = [] }
        entries.append((kind, headers))
        return headers
    }
}
