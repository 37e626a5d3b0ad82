import Encodings

/// An alert in the language of one phone.
struct ShownAlert: Encodable, Equatable, Sendable {
    /// The time of the alert's arrival.
    let time: Timestamp
    let title: String
    let body: String?
    let sound: String?
    /// The localization keys; absent for plain text.
    let titleKey: String?
    let bodyKey: String?

    /// Localizes an alert for a locale; nil without a title, which makes phones ignore the alert.
    init?(_ alert: ReceivedAlert, in catalog: StringCatalog, for locale: String, at time: Timestamp) {
        guard let title = alert.title else { return nil }
        self.time = time
        self.title = title.resolved(in: catalog, for: locale)
        body = alert.body?.resolved(in: catalog, for: locale)
        sound = alert.sound
        titleKey = title.key
        bodyKey = alert.body?.key
    }
}
