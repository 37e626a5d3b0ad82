import Encodings
import GameCore
import GameStore
import HTTPServing

/// The body of `PUT …/activities/{activityID}`: `{pushToken, environment, frequentPushesEnabled, locale?}`.
struct ActivityBody: RequestFields {
    let target: PushTarget
    let locale: String?

    init?(_ fields: inout Fields) {
        let target = PushTarget(&fields)
        locale = fields.optional("locale", .languageTag)
        guard let target else { return nil }
        self.target = target
    }
}

/// The body of `PUT …/push-to-start-token`: `{pushToken, environment, frequentPushesEnabled}`.
struct PushToStartBody: RequestFields {
    let target: PushTarget

    init?(_ fields: inout Fields) {
        guard let target = PushTarget(&fields) else { return nil }
        self.target = target
    }
}

/// The fields of a push token with its environment and the device's update frequency.
struct PushTarget {
    /// The token lengths that the APNs client supports.
    ///
    /// Apple specifies none; the observed tokens of Live Activities have 80 bytes.
    private static let tokenBytes = 1...256

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

/// The body of `POST …/activities/sync`: `{running}`.
struct SyncBody: RequestFields {
    /// The maximum number of activities in a request, far more than iOS allows at once.
    private static let maxRunning = 100

    let running: [ActivityID]

    init?(_ fields: inout Fields) {
        guard let running: [ActivityID] = fields.required("running", .ids(atMost: Self.maxRunning)) else { return nil }
        self.running = running
    }
}
