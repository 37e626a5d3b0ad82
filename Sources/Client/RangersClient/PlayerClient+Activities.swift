import Encodings
public import Foundation
public import GameCore

extension PlayerClient {
    /// Registers a Live Activity with its push token.
    ///
    /// Registering it again with another token replaces the old token.
    /// - Parameters:
    ///   - activityID: the identifier that the app chose.
    ///   - adventureID: the adventure that the activity shows.
    ///   - destination: the push token, its APNs environment, and whether frequent pushes are enabled. The last is
    ///     fixed for the activity's life.
    ///   - locale: the phone's language, such as `ko` or `pt-BR`, for support only; the phone localizes alerts itself.
    ///   - key: an idempotency key; nil for a new one.
    /// - Returns: the registered activity.
    /// - Throws: ``RangersError``; `CancellationError`.
    @discardableResult
    public func register(
        _ activityID: ActivityID,
        of adventureID: AdventureID,
        destination: PushDestination,
        locale: String? = nil,
        key: IdempotencyKey? = nil
    ) async throws -> ActivityResponse {
        try await http.write(
            "PUT",
            "v1/adventures/\(adventureID)/activities/\(activityID)",
            Registration(destination: destination, locale: locale),
            key: key
        )
    }

    /// Releases a Live Activity that has ended or was dismissed on the phone.
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

    /// Releases all of the player's Live Activities that are not running, except those registered within the last half
    /// minute.
    ///
    /// The list covers all devices of the player: do not call this method if one player uses several devices.
    /// - Parameters:
    ///   - running: all activities that the phone shows.
    ///   - key: an idempotency key; nil for a new one.
    /// - Returns: the released activities, and those that the server does not know.
    /// - Throws: ``RangersError``; `CancellationError`.
    @discardableResult
    public func sync(running: [ActivityID], key: IdempotencyKey? = nil) async throws -> SyncResponse {
        try await http.write(
            "POST",
            "v1/players/me/activities/sync",
            ["running": running],
            key: key
        )
    }

    /// Stores a push-to-start token, with which the server starts Live Activities while the app is closed.
    /// - Parameters:
    ///   - destination: the app's newest push-to-start token, its APNs environment, and whether frequent pushes are
    ///     enabled.
    ///   - key: an idempotency key; nil for a new one.
    /// - Returns: what the server stored, and whether it can use the token now.
    /// - Throws: ``RangersError``; `CancellationError`.
    @discardableResult
    public func storePushToStartToken(
        _ destination: PushDestination,
        key: IdempotencyKey? = nil
    ) async throws -> PushToStartResponse {
        try await http.write("PUT", "v1/players/me/push-to-start-token", destination, key: key)
    }

    /// Removes the push-to-start token, so that the server starts no more Live Activities on the phone.
    public func removePushToStartToken(key: IdempotencyKey? = nil) async throws {
        try await http.write("DELETE", "v1/players/me/push-to-start-token", Requester.noBody, key: key)
    }
}

/// A push token with its APNs environment and the phone's setting for frequent pushes.
public struct PushDestination: Encodable, Hashable, Sendable {
    private enum CodingKeys: CodingKey {
        case pushToken
        case environment
        case frequentPushesEnabled
    }

    /// The token from ActivityKit.
    public let pushToken: Data
    /// The APNs environment that the token belongs to.
    public let environment: PushEnvironment
    /// The value of `ActivityAuthorizationInfo().frequentPushesEnabled`.
    public let frequentPushesEnabled: Bool

    /// Creates a destination.
    public init(pushToken: Data, environment: PushEnvironment, frequentPushesEnabled: Bool) {
        self.pushToken = pushToken
        self.environment = environment
        self.frequentPushesEnabled = frequentPushesEnabled
    }

    /// Encodes the destination, with the token in hexadecimal.
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

    let destination: PushDestination
    let locale: String?

    func encode(to encoder: any Encoder) throws {
        try destination.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(locale, forKey: .locale)
    }
}
