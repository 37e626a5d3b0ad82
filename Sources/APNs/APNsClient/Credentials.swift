import HTTP2Transport

/// A provider token, and the fields that pushes with it have in common: made once for each topic, type and priority.
struct Credentials {
    private struct Kind: Hashable {
        let topic: String
        let pushType: APNsPush.PushType
        let priority: APNsPush.Priority
    }

    /// An app has two kinds, one for each priority; whoever serves many apps makes some anew now and then.
    private static let keptKinds = 16

    let token: ProviderToken
    /// So few that they are looked through faster than hashed.
    private var made: [(kind: Kind, headers: HTTP2Headers)] = []

    init(_ token: ProviderToken) {
        self.token = token
    }

    mutating func headers(for push: APNsPush) -> HTTP2Headers {
        let kind = Kind(topic: push.topic, pushType: push.pushType, priority: push.priority)
        if let found = made.first(where: { $0.kind == kind }) { return found.headers }
        let headers = HTTP2Headers(push.sharedFields(authorization: token.authorization))
        if made.count == Self.keptKinds { made = [] }
        made.append((kind, headers))
        return headers
    }
}
