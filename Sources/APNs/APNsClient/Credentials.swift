import HTTP2Transport
import Synchronization

/// A provider token, with the header fields that it sends to each route.
final class Credentials: Sendable {
    /// The header fields that pushes of one topic, type and priority share.
    struct Route {
        let topic: String
        let pushType: APNsPush.PushType
        let priority: APNsPush.Priority
        let headers: HTTP2Headers

        func serves(_ push: APNsPush) -> Bool {
            priority == push.priority && pushType == push.pushType && topic == push.topic
        }
    }

    /// The maximum number of routes: one app needs a few, one for each type and priority.
    private static let maxRoutes = 16

    let token: ProviderToken
    /// The routes; a linear search of so few is faster than hashing.
    private let routes = Mutex<[Route]>([])

    init(_ token: ProviderToken) {
        self.token = token
    }

    func route(for push: APNsPush) -> Route {
        routes.withLock { routes in
            if let found = routes.first(where: { $0.serves(push) }) { return found }
            let route = Route(
                topic: push.topic,
                pushType: push.pushType,
                priority: push.priority,
                headers: HTTP2Headers(push.sharedFields(authorization: token.authorization))
            )
            if routes.count == Self.maxRoutes { routes = [] }
            routes.append(route)
            return route
        }
    }
}

/// Builds the requests of one submission.
struct APNsRequestBuilder {
    let credentials: Credentials
    private var route: Credentials.Route?
    private var writer = HTTP2HeaderWriter()

    init(_ credentials: Credentials) {
        self.credentials = credentials
    }

    /// Builds a request from its own fields and the shared ones of the push's route.
    mutating func request(
        for push: APNsPush,
        _ addOwnFields: (inout HTTP2HeaderWriter) -> Void
    ) -> HTTP2ClientRequest {
        // Successive pushes mostly use the same route.
        if route?.serves(push) != true { route = credentials.route(for: push) }
        addOwnFields(&writer)
        return HTTP2ClientRequest(&writer, sharing: route?.headers ?? [], body: push.payload, sendBy: push.sendBy)
    }
}
