/// An alert as one phone says it, in its own language.
struct ShownAlert: Encodable, Equatable, Sendable {
    /// When it came.
    let time: Moment
    let title: String
    let body: String?
    let sound: String?
    /// The keys that the texts were found by; absent when the push brought plain text.
    let titleKey: String?
    let bodyKey: String?

    /// The alert as a phone with that locale says it; nil when it has no title, which phones ignore.
    init?(_ alert: ReceivedAlert, in catalog: StringCatalog, for locale: String, at time: Moment) {
        guard let title = alert.title else { return nil }
        self.time = time
        self.title = title.resolved(in: catalog, for: locale)
        body = alert.body?.resolved(in: catalog, for: locale)
        sound = alert.sound
        titleKey = title.key
        bodyKey = alert.body?.key
    }
}
