import Encodings
public import Foundation
public import GameCore

extension PlayerClient {
    /// Registers one of the player's devices, or replaces what the server knows of it.
    ///
    /// Call it before any of the device's Live Activities is registered, and after each change of the settings.
    /// - Parameters:
    ///   - deviceID: the identifier that the app chose at its first launch and keeps.
    ///   - settings: the settings and tokens. A token that is nil is removed from the server.
    ///   - key: an idempotency key; nil for a new one.
    /// - Returns: the registered device, and whether the server can push to it now.
    /// - Throws: ``RangersError``; `CancellationError`.
    @discardableResult
    public func register(
        _ deviceID: DeviceID,
        with settings: DeviceSettings,
        key: IdempotencyKey? = nil
    ) async throws -> DeviceResponse {
        try await http.write("PUT", "v1/players/me/devices/\(deviceID)", settings, key: key)
    }

    /// Returns one of the player's devices.
    /// - Throws: ``RangersError``, with the problem ``ProblemType/unknownDevice`` if it is not registered;
    ///   `CancellationError`.
    public func device(_ deviceID: DeviceID) async throws -> DeviceResponse {
        try await http.get("v1/players/me/devices/\(deviceID)")
    }

    /// Returns the player's devices, in order of registration.
    public func devices() async throws -> [DeviceResponse] {
        struct Response: Decodable {
            let devices: [DeviceResponse]
        }
        let response: Response = try await http.get("v1/players/me/devices")
        return response.devices
    }

    /// Removes one of the player's devices: its Live Activities are released, and its tokens forgotten.
    ///
    /// Call it when the player signs out.
    public func remove(_ deviceID: DeviceID, key: IdempotencyKey? = nil) async throws {
        try await http.write("DELETE", "v1/players/me/devices/\(deviceID)", Requester.noBody, key: key)
    }
}

/// The settings and tokens of a device that the server needs to push to it.
public struct DeviceSettings: Encodable, Hashable, Sendable {
    private enum CodingKeys: CodingKey {
        case environment
        case locale
        case appBuild
        case liveActivitiesEnabled
        case frequentPushesEnabled
        case followsRaids
        case pushToStartToken
        case alertToken
        case widgetToken
        case alerts
    }

    /// The APNs environment that the tokens belong to.
    public var environment: PushEnvironment
    /// The device's language, such as `ko` or `pt-BR`, for support only.
    public var locale: String?
    /// The version of the app, for support only.
    public var appBuild: String?
    /// The value of `ActivityAuthorizationInfo().areActivitiesEnabled`: without it the server starts no activities.
    public var liveActivitiesEnabled: Bool
    /// The value of `ActivityAuthorizationInfo().frequentPushesEnabled`.
    public var frequentPushesEnabled: Bool
    /// Whether the server starts the activities of raids, too, which need iOS 18 and a widget for `RaidAttributes`.
    public var followsRaids: Bool
    /// The newest push-to-start token, with which the server starts Live Activities while the app is closed.
    public var pushToStartToken: Data?
    /// The newest token from `didRegisterForRemoteNotificationsWithDeviceToken`.
    public var alertToken: Data?
    /// The newest token of the widgets' `WidgetPushHandler`, with which the server reloads them.
    public var widgetToken: Data?
    /// Which alerts ring on the device; by default all of them.
    public var alerts: AlertPreferences

    /// Creates settings.
    public init(
        environment: PushEnvironment,
        locale: String? = nil,
        appBuild: String? = nil,
        liveActivitiesEnabled: Bool = true,
        frequentPushesEnabled: Bool,
        followsRaids: Bool = false,
        pushToStartToken: Data? = nil,
        alertToken: Data? = nil,
        widgetToken: Data? = nil,
        alerts: AlertPreferences = AlertPreferences()
    ) {
        self.environment = environment
        self.locale = locale
        self.appBuild = appBuild
        self.liveActivitiesEnabled = liveActivitiesEnabled
        self.frequentPushesEnabled = frequentPushesEnabled
        self.followsRaids = followsRaids
        self.pushToStartToken = pushToStartToken
        self.alertToken = alertToken
        self.widgetToken = widgetToken
        self.alerts = alerts
    }

    /// Encodes the settings, with the tokens in hexadecimal.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(environment, forKey: .environment)
        try container.encodeIfPresent(locale, forKey: .locale)
        try container.encodeIfPresent(appBuild, forKey: .appBuild)
        try container.encode(liveActivitiesEnabled, forKey: .liveActivitiesEnabled)
        try container.encode(frequentPushesEnabled, forKey: .frequentPushesEnabled)
        // Servers that do not know the field refuse it.
        if followsRaids { try container.encode(followsRaids, forKey: .followsRaids) }
        try container.encodeIfPresent(pushToStartToken?.hexadecimal, forKey: .pushToStartToken)
        try container.encodeIfPresent(alertToken?.hexadecimal, forKey: .alertToken)
        try container.encodeIfPresent(widgetToken?.hexadecimal, forKey: .widgetToken)
        if alerts != AlertPreferences() { try container.encode(alerts, forKey: .alerts) }
    }
}
