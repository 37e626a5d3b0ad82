public import Foundation
public import GameCore

extension PlayerClient {
    /// Tells the server where the pushes for a Live Activity go; again with another token, the old one is dead.
    /// - Parameters:
    ///   - activityID: as the app names it.
    ///   - adventureID: what it shows.
    ///   - route: where its pushes go, and how many the phone takes. The latter holds for the activity's life.
    ///   - locale: the phone's language, such as `ko` or `pt-BR`, for support; alerts are put into words by the phone.
    ///   - key: nil for a new one.
    /// - Returns: what the server knows of it.
    /// - Throws: ``RangersError``; `CancellationError`.
    @discardableResult
    public func register(
        _ activityID: ActivityID,
        of adventureID: AdventureID,
        route: PushRoute,
        locale: String? = nil,
        key: IdempotencyKey? = nil
    ) async throws -> ActivityAnswer {
        try await http.write(
            "PUT",
            "v1/adventures/\(adventureID)/activities/\(activityID)",
            Registration(route: route, locale: locale),
            key: key
        )
    }

    /// Tells the server that a Live Activity has ended or been dismissed on the phone.
    public func release(
        _ activityID: ActivityID,
        of adventureID: AdventureID,
        key: IdempotencyKey? = nil
    ) async throws {
        try await http.write(
            "DELETE",
            "v1/adventures/\(adventureID)/activities/\(activityID)",
            Requester.noBody,
            key: key
        )
    }

    /// Tells the server which Live Activities the phone shows; it lets go of the others, but for those registered less
    /// than half a minute before.
    ///
    /// The list is the player's: an app that runs on several devices of one player leaves this out.
    /// - Parameters:
    ///   - running: all that the phone shows.
    ///   - key: nil for a new one.
    /// - Returns: what the server let go of.
    /// - Throws: ``RangersError``; `CancellationError`.
    @discardableResult
    public func sync(running: [ActivityID], key: IdempotencyKey? = nil) async throws -> [ActivityID] {
        let answer: SyncAnswer = try await http.write(
            "POST",
            "v1/players/me/activities/sync",
            ["running": running],
            key: key
        )
        return answer.released
    }

    /// Lets the server start Live Activities on the phone while the app is closed.
    /// - Parameters:
    ///   - route: the newest push-to-start token of the app, and how many pushes the phone takes.
    ///   - key: nil for a new one.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func keepPushToStartToken(_ route: PushRoute, key: IdempotencyKey? = nil) async throws {
        try await http.write("PUT", "v1/players/me/push-to-start-token", route, key: key)
    }

    /// The server starts no more Live Activities on the phone.
    public func forgetPushToStartToken(key: IdempotencyKey? = nil) async throws {
        try await http.write("DELETE", "v1/players/me/push-to-start-token", Requester.noBody, key: key)
    }
}

/// Where pushes go, and how many the phone takes.
public struct PushRoute: Encodable, Hashable, Sendable {
    private enum CodingKeys: CodingKey {
        case pushToken
        case environment
        case frequentPushesEnabled
    }

    /// As ActivityKit gives it.
    public let pushToken: Data
    /// Which APNs the token is of.
    public let environment: PushEnvironment
    /// `ActivityAuthorizationInfo().frequentPushesEnabled`.
    public let frequentPushesEnabled: Bool

    /// A route.
    public init(pushToken: Data, environment: PushEnvironment, frequentPushesEnabled: Bool) {
        self.pushToken = pushToken
        self.environment = environment
        self.frequentPushesEnabled = frequentPushesEnabled
    }

    /// Encodes the token in hexadecimal.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(pushToken.hexadecimal, forKey: .pushToken)
        try container.encode(environment, forKey: .environment)
        try container.encode(frequentPushesEnabled, forKey: .frequentPushesEnabled)
    }
}

private struct Registration: Encodable {
    private enum CodingKeys: CodingKey {
        case locale
    }

    let route: PushRoute
    let locale: String?

    func encode(to encoder: any Encoder) throws {
        try route.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(locale, forKey: .locale)
    }
}
