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
    ///   - deviceID: the device that shows the activity; it must be registered, and stays the same for the activity's life.
    ///   - destination: the push token, its APNs environment, and whether frequent pushes are enabled. The last is
    ///     fixed for the activity's life.
    ///   - locale: the phone's language, such as `ko` or `pt-BR`, for support only; the phone localizes alerts itself.
    ///   - startsAt: when a scheduled activity starts or started; nil for one that started when it was first registered.
    ///   - key: an idempotency key; nil for a new one.
    /// - Returns: the registered activity.
    /// - Throws: ``RangersError``, with the problem ``ProblemType/unknownDevice`` if the device is not registered;
    ///   `CancellationError`.
    @discardableResult
    public func register(
        _ activityID: ActivityID,
        of adventureID: AdventureID,
        on deviceID: DeviceID,
        destination: PushDestination,
        locale: String? = nil,
        startsAt: Date? = nil,
        key: IdempotencyKey? = nil
    ) async throws -> ActivityResponse {
        try await http.write(
            "PUT",
            "v1/adventures/\(adventureID)/activities/\(activityID)",
            Registration(deviceID: deviceID, destination: destination, locale: locale, startsAt: startsAt),
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

    /// Releases the Live Activities of a device that are not running, except those registered within the last half minute.
    ///
    /// Those of the player's other devices are left as they are.
    /// - Parameters:
    ///   - running: all activities that the device shows.
    ///   - deviceID: the device.
    ///   - key: an idempotency key; nil for a new one.
    /// - Returns: the released activities, those that the server does not know, and those that it pushes to.
    /// - Throws: ``RangersError``, with the problem ``ProblemType/unknownDevice`` if the device is not registered;
    ///   `CancellationError`.
    @discardableResult
    public func sync(
        running: [ActivityID],
        on deviceID: DeviceID,
        key: IdempotencyKey? = nil
    ) async throws -> SyncResponse {
        try await http.write(
            "POST",
            "v1/players/me/activities/sync",
            SyncReport(deviceID: deviceID, running: running),
            key: key
        )
    }
}

/// The push token of a Live Activity with its APNs environment and the phone's setting for frequent pushes.
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

private struct SyncReport: Encodable {
    let deviceID: DeviceID
    let running: [ActivityID]
}

private struct Registration: Encodable {
    private enum CodingKeys: CodingKey {
        case deviceID
        case locale
        case startsAt
    }

    let deviceID: DeviceID
    let destination: PushDestination
    let locale: String?
    let startsAt: Date?

    func encode(to encoder: any Encoder) throws {
        try destination.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(deviceID, forKey: .deviceID)
        try container.encodeIfPresent(locale, forKey: .locale)
        let start = startsAt.map {
            Timestamp(microseconds: Int64(($0.timeIntervalSince1970 * 1_000_000).rounded())).rfc3339
        }
        try container.encodeIfPresent(start, forKey: .startsAt)
    }
}
