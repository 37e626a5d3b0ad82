import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import HTTPTypes
import Hummingbird

/// The routes of players' devices.
struct DeviceRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.get("v1/players/me/devices", use: authenticator.player(list))
        router.get("v1/players/me/devices/:deviceID", use: authenticator.player(read))
        router.put("v1/players/me/devices/:deviceID", use: authenticator.player(register))
        router.delete("v1/players/me/devices/:deviceID", use: authenticator.player(remove))
    }

    private func register(_ request: APIRequest<PlayerID>) async throws -> Response {
        let id = try request.deviceID
        let body: DeviceBody = try request.fields()
        let registration = body.registration(of: id)
        let isRoutable = try await store.dispatcherSends(to: registration.environment)
        return Response(
            try await commands.register(
                registration,
                of: request.caller,
                request: try request.idempotentRequest
            ) { device, isNew in
                try EncodedResponse(
                    status: isNew ? .created : .ok,
                    json: DeviceView(device, isRoutable: isRoutable)
                )
            }
        )
    }

    private func list(_ request: APIRequest<PlayerID>) async throws -> Response {
        let devices = try await store.devices(of: request.caller)
        return try Response(json: ["devices": try await views(of: devices)])
    }

    private func read(_ request: APIRequest<PlayerID>) async throws -> Response {
        guard let device = try await store.device(try request.deviceID, of: request.caller) else {
            throw CommandError.unknownDevice
        }
        return try Response(json: try await views(of: [device])[0])
    }

    private func remove(_ request: APIRequest<PlayerID>) async throws -> Response {
        Response(
            try await commands.removeDevice(
                try request.deviceID,
                of: request.caller,
                request: try request.idempotentRequest
            )
        )
    }

    private func views(of devices: [Device]) async throws -> [DeviceView] {
        var views: [DeviceView] = []
        for device in devices {
            views.append(DeviceView(device, isRoutable: try await store.dispatcherSends(to: device.environment)))
        }
        return views
    }
}

/// A device, without its tokens.
struct DeviceView: Encodable {
    /// An ordinary alert that a dispatcher has claimed.
    struct SentAlertView: Encodable {
        let adventureID: AdventureID
        let sequence: Int
        let at: String
    }

    let deviceID: DeviceID
    let environment: PushEnvironment
    let locale: String?
    let appBuild: String?
    let liveActivitiesEnabled: Bool
    let frequentPushesEnabled: Bool
    let followsRaids: Bool
    /// Whether the server has a token of each kind: it loses one that APNs rejects, or another device registers.
    let hasPushToStartToken: Bool
    let hasAlertToken: Bool
    let hasWidgetToken: Bool
    let alerts: AlertPreferences
    /// Whether this system knows the time zone of the quiet hours, which otherwise silence nothing.
    let timeZoneKnown: Bool
    let registeredAt: String
    let updatedAt: String
    /// Whether a running dispatcher sends to the environment.
    let routable: Bool
    /// The ordinary alerts of some time; nil except in responses to operators.
    var sentAlerts: [SentAlertView]?

    init(_ device: Device, isRoutable: Bool) {
        deviceID = device.id
        environment = device.environment
        locale = device.locale
        appBuild = device.appBuild
        liveActivitiesEnabled = device.liveActivitiesEnabled
        frequentPushesEnabled = device.frequentPushesEnabled
        followsRaids = device.followsRaids
        hasPushToStartToken = device.pushToStartToken != nil
        hasAlertToken = device.alertToken != nil
        hasWidgetToken = device.widgetToken != nil
        alerts = device.alertPreferences
        timeZoneKnown = alerts.quietHours.map { AlertPreferences.QuietHours.knows(timeZone: $0.timeZone) } ?? true
        registeredAt = device.registeredAt.rfc3339
        updatedAt = device.updatedAt.rfc3339
        routable = isRoutable
    }

    /// Creates the view of operators, with the ordinary alerts after a moment.
    init(_ device: Device, isRoutable: Bool, alertsAfter moment: Timestamp) {
        self.init(device, isRoutable: isRoutable)
        sentAlerts = device.sentAlerts.filter { $0.at > moment }.map {
            SentAlertView(adventureID: $0.adventureID, sequence: $0.sequence, at: $0.at.rfc3339)
        }
    }
}
