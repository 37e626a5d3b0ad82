import Encodings
import GameCore
import GameStore
import HTTPServing

/// The body of `PUT …/activities/{activityID}`:
/// `{deviceID, pushToken, environment, frequentPushesEnabled, locale?, startsAt?}`.
struct ActivityBody: RequestFields {
    let deviceID: DeviceID
    let target: PushTarget
    let locale: String?
    let startsAt: Timestamp?

    init?(_ fields: inout Fields) {
        let deviceID = fields.required("deviceID", FieldReader<DeviceID>.id)
        let target = PushTarget(&fields)
        locale = fields.optional("locale", .languageTag)
        startsAt = fields.optional("startsAt", .timestamp)
        guard let deviceID, let target else { return nil }
        self.deviceID = deviceID
        self.target = target
    }
}

/// The fields of a push token with its environment and the device's update frequency.
struct PushTarget {
    /// The token lengths that the APNs client supports.
    ///
    /// Apple specifies none; the observed tokens of Live Activities have 80 bytes.
    static let tokenBytes = 1...256

    let pushToken: [UInt8]
    let environment: PushEnvironment
    let frequentPushesEnabled: Bool

    init?(_ fields: inout Fields) {
        let pushToken = fields.required("pushToken", .hexadecimal(byteCount: Self.tokenBytes))
        let environment = fields.required("environment", FieldReader<PushEnvironment>.oneOfItsCases)
        let frequentPushesEnabled = fields.required("frequentPushesEnabled", .boolean)
        guard let pushToken, let environment, let frequentPushesEnabled else { return nil }
        self.pushToken = pushToken
        self.environment = environment
        self.frequentPushesEnabled = frequentPushesEnabled
    }
}

/// The body of `POST …/activities/sync`: `{deviceID, running}`.
struct SyncBody: RequestFields {
    /// The maximum number of activities in a request, far more than iOS allows at once.
    private static let maxRunning = 100

    let deviceID: DeviceID
    let running: [ActivityID]

    init?(_ fields: inout Fields) {
        let deviceID = fields.required("deviceID", FieldReader<DeviceID>.id)
        let running: [ActivityID]? = fields.required("running", .ids(atMost: Self.maxRunning))
        guard let deviceID, let running else { return nil }
        self.deviceID = deviceID
        self.running = running
    }
}
