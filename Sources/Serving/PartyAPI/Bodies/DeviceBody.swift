import GameCore
import GameEngine
import HTTPServing

/// The body of `PUT /v1/players/me/devices/{deviceID}`:
/// `{environment, locale?, appBuild?, liveActivitiesEnabled, frequentPushesEnabled, pushToStartToken?, alertToken?}`.
struct DeviceBody: RequestFields {
    private let environment: PushEnvironment
    private let locale: String?
    private let appBuild: String?
    private let liveActivitiesEnabled: Bool
    private let frequentPushesEnabled: Bool
    private let pushToStartToken: [UInt8]?
    private let alertToken: [UInt8]?

    init?(_ fields: inout Fields) {
        let environment = fields.required("environment", FieldReader<PushEnvironment>.oneOfItsCases)
        locale = fields.optional("locale", .languageTag)
        appBuild = fields.optional("appBuild", .appBuild)
        let liveActivitiesEnabled = fields.required("liveActivitiesEnabled", .boolean)
        let frequentPushesEnabled = fields.required("frequentPushesEnabled", .boolean)
        pushToStartToken = fields.optional("pushToStartToken", .hexadecimal(byteCount: PushTarget.tokenBytes))
        alertToken = fields.optional("alertToken", .hexadecimal(byteCount: PushTarget.tokenBytes))
        guard let environment, let liveActivitiesEnabled, let frequentPushesEnabled else { return nil }
        self.environment = environment
        self.liveActivitiesEnabled = liveActivitiesEnabled
        self.frequentPushesEnabled = frequentPushesEnabled
    }

    /// The registration of the device with this body.
    func registration(of id: DeviceID) -> DeviceRegistration {
        DeviceRegistration(
            id: id,
            environment: environment,
            locale: locale,
            appBuild: appBuild,
            liveActivitiesEnabled: liveActivitiesEnabled,
            frequentPushesEnabled: frequentPushesEnabled,
            pushToStartToken: pushToStartToken,
            alertToken: alertToken
        )
    }
}

extension FieldReader where Value == String {
    /// A reader of the builds of apps: `CFBundleShortVersionString`, `CFBundleVersion`, or both.
    fileprivate static var appBuild: Self {
        string("1 to 40 printable characters of ASCII") { text in
            (1...40).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
        }
    }
}
