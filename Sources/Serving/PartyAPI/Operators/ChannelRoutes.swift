import Encodings
import GameCore
import GameLog
import GameStore
import HTTPServing
import Hummingbird

/// The routes for broadcast channels.
///
/// They name no channel to apps, and support no idempotency key: to request a comparison again changes nothing.
struct ChannelRoutes: Sendable {
    private static let defaultLimit = 100
    private static let maxLimit = 10_000

    let store: GameStore

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.get("admin/v1/channels", use: authenticator.viewer(query: ["limit"], list))
        router.post("admin/v1/channels/reconcile", use: authenticator.admin(reconcile))
    }

    private func list(_ request: APIRequest<Operator>) async throws -> Response {
        let limit = try request.number("limit", in: 1...Self.maxLimit, default: Self.defaultLimit)
        var channels: [BroadcastChannel] = []
        for environment in PushEnvironment.allCases {
            channels += try await store.channels(in: environment)
        }
        // The newest first.
        channels.sort { $0.wantedAt > $1.wantedAt }
        return try Response(
            json: ChannelList(
                environments: try await store.channelKeepings().map(ChannelKeepingView.init),
                count: channels.count,
                channels: channels.prefix(limit).map(ChannelView.init)
            )
        )
    }

    private func reconcile(_ request: APIRequest<Operator>) async throws -> Response {
        let keepings = try await store.requestChannelReconciliation(by: request.author)
        return try Response(status: .accepted, json: ["environments": keepings.map(ChannelKeepingView.init)])
    }
}

/// The channels that are not deleted, and how they are kept.
private struct ChannelList: Encodable {
    let environments: [ChannelKeepingView]
    let count: Int
    let channels: [ChannelView]
}

/// The newest comparison of an environment's channels with the list of APNs.
private struct ChannelKeepingView: Encodable {
    let environment: PushEnvironment
    let requestedAt: String?
    let comparedAt: String?
    let listed: Int?
    let unknown: Int?
    let lost: Int?

    init(_ keeping: ChannelKeeping) {
        environment = keeping.environment
        requestedAt = keeping.requestedAt?.rfc3339
        comparedAt = keeping.comparison?.at.rfc3339
        listed = keeping.comparison?.listed
        unknown = keeping.comparison?.unknown
        lost = keeping.comparison?.lost
    }
}

/// A channel as operators see it.
private struct ChannelView: Encodable {
    struct Owner: Encodable {
        let kind: String
        let id: String
    }

    let owner: Owner
    let environment: PushEnvironment
    let state: String
    let channelID: String?
    let storagePolicy: Int
    let wantedAt: String
    let createdAt: String?
    let usedAt: String
    let failures: Int
    let retryAt: String?

    init(_ channel: BroadcastChannel) {
        owner = Owner(kind: channel.key.owner.kind.rawValue, id: channel.key.owner.id.lowercaseText)
        environment = channel.key.environment
        state = channel.state.rawValue
        channelID = channel.channelID
        storagePolicy = Int(channel.storagePolicy.rawValue)
        wantedAt = channel.wantedAt.rfc3339
        createdAt = channel.createdAt?.rfc3339
        usedAt = channel.usedAt.rfc3339
        let isPending = channel.state == .wanted || channel.state == .ending
        failures = isPending ? channel.attempts : channel.broadcastFailures
        retryAt = failures > 0 ? (isPending ? channel.retryAt : channel.broadcastAfter).rfc3339 : nil
    }
}
