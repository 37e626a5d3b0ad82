import HTTP2Transport

/// The fields that pushes with one token have in common, made once for each topic, type and priority among them.
struct SharedPushHeaders {
    private struct Key: Hashable {
        let topic: String
        let pushType: APNsPush.PushType
        let priority: APNsPush.Priority
    }

    private let authorization: HTTP2Header
    private var made: [Key: HTTP2Headers] = [:]

    init(_ token: ProviderToken) {
        authorization = HTTP2Header("authorization", token.authorization)
    }

    mutating func headers(for push: APNsPush) -> HTTP2Headers {
        let key = Key(topic: push.topic, pushType: push.pushType, priority: push.priority)
        if let headers = made[key] { return headers }
        let headers: HTTP2Headers = [
            authorization,
            HTTP2Header("apns-push-type", push.pushType.rawValue),
            HTTP2Header("apns-topic", push.topic),
            HTTP2Header("apns-priority", String(push.priority.rawValue)),
        ]
        made[key] = headers
        return headers
    }
}
