import GameCore
import GameStore

/// The body of `PUT …/activities/{activityID}`: `{pushToken, environment, frequentPushesEnabled, locale?}`.
struct PushFields: RequestFields {
    let route: PushRoute
    let locale: String?

    init?(_ fields: inout Fields) {
        let route = PushRoute(&fields)
        locale = fields.optional("locale", .languageTag)
        guard let route else { return nil }
        self.route = route
    }
}

/// The body of `PUT …/push-to-start-token`: `{pushToken, environment, frequentPushesEnabled}`.
struct PushToStartFields: RequestFields {
    let route: PushRoute

    init?(_ fields: inout Fields) {
        guard let route = PushRoute(&fields) else { return nil }
        self.route = route
    }
}

/// The fields that say where pushes go, and how many the phone takes.
struct PushRoute {
    /// What the APNs client sends to; Apple promises no length, and those of Live Activities that were seen have 80.
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
struct SyncFields: RequestFields {
    /// Far more than iOS allows at once.
    private static let mostRunning = 100

    let running: [ActivityID]

    init?(_ fields: inout Fields) {
        guard let running: [ActivityID] = fields.required("running", .ids(atMost: Self.mostRunning)) else { return nil }
        self.running = running
    }
}
