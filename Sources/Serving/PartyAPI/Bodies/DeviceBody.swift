import GameCore
import GameEngine
import HTTPServing
import JSONCoding

/// The body of `PUT /v1/players/me/devices/{deviceID}`:
/// `{environment, locale?, appBuild?, liveActivitiesEnabled, frequentPushesEnabled, followsRaids?, pushToStartToken?,
/// alertToken?, widgetToken?, alerts?}`.
struct DeviceBody: RequestFields {
    private let environment: PushEnvironment
    private let locale: String?
    private let appBuild: String?
    private let liveActivitiesEnabled: Bool
    private let frequentPushesEnabled: Bool
    private let followsRaids: Bool
    private let pushToStartToken: [UInt8]?
    private let alertToken: [UInt8]?
    private let widgetToken: [UInt8]?
    private let alerts: AlertPreferences?

    init?(_ fields: inout Fields) {
        let environment = fields.required("environment", FieldReader<PushEnvironment>.oneOfItsCases)
        locale = fields.optional("locale", .languageTag)
        appBuild = fields.optional("appBuild", .appBuild)
        let liveActivitiesEnabled = fields.required("liveActivitiesEnabled", .boolean)
        let frequentPushesEnabled = fields.required("frequentPushesEnabled", .boolean)
        followsRaids = fields.optional("followsRaids", .boolean) ?? false
        pushToStartToken = fields.optional("pushToStartToken", .hexadecimal(byteCount: PushTarget.tokenBytes))
        alertToken = fields.optional("alertToken", .hexadecimal(byteCount: PushTarget.tokenBytes))
        widgetToken = fields.optional("widgetToken", .hexadecimal(byteCount: PushTarget.tokenBytes))
        alerts = fields.optionalObject("alerts", Self.alerts)
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
            followsRaids: followsRaids,
            pushToStartToken: pushToStartToken,
            alertToken: alertToken,
            widgetToken: widgetToken,
            alertPreferences: alerts ?? AlertPreferences()
        )
    }

    private static func alerts(_ fields: inout Fields) -> AlertPreferences? {
        let muted = fields.optional("muted", .alertCategories)
        let quietHours = fields.optionalObject("quietHours", Self.quietHours)
        return AlertPreferences(muted: muted ?? [], quietHours: quietHours)
    }

    private static func quietHours(_ fields: inout Fields) -> AlertPreferences.QuietHours? {
        let from = fields.required("from", .integer(in: 0...1_439))
        let to = fields.required("to", .integer(in: 0...1_439))
        let timeZone = fields.required("timeZone", .timeZone)
        guard let from, let to, let timeZone else { return nil }
        if from == to { fields.reject("to", "must differ from `from`") }
        return AlertPreferences.QuietHours(from: from, to: to, timeZone: timeZone)
    }
}

extension FieldReader where Value == Set<AlertPreferences.Category> {
    /// A reader of lists of categories of alerts.
    fileprivate static var alertCategories: Self {
        Self { value in
            let known = AlertPreferences.Category.allCases
            let invalid = InvalidValue(reason: "must be a list of \(known.map(\.rawValue).joined(separator: ", "))")
            guard case .array(let elements) = value else { return .failure(invalid) }
            let categories = known.filter { elements.contains(.string($0.rawValue)) }
            return Set(elements).count == categories.count ? .success(Set(categories)) : .failure(invalid)
        }
    }
}

extension FieldReader where Value == String {
    /// A reader of the identifiers of time zones, also of those that this system does not know: the database of time
    /// zones of a phone may be newer.
    fileprivate static var timeZone: Self {
        string("the identifier of a time zone, such as Europe/Berlin") { text in
            text.wholeMatch(of: /[A-Za-z0-9_+\/-]{1,64}/) == nil ? nil : text
        }
    }

    /// A reader of the builds of apps: `CFBundleShortVersionString`, `CFBundleVersion`, or both.
    fileprivate static var appBuild: Self {
        string("1 to 40 printable characters of ASCII") { text in
            (1...40).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
        }
    }
}
