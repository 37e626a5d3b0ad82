/// A phone with the app on it.
struct Phone: Sendable {
    let id: Identifier<Phone>
    /// What the page calls it, such as its owner's name.
    let label: String
    /// BCP 47, such as `ko` or `pt-BR`.
    let locale: String
    /// What the app would learn from `ActivityAuthorizationInfo`.
    let frequentPushesEnabled: Bool
    /// Where starts for this phone go, once the app has asked for it; rotates.
    var pushToStartToken: PushToken?
    /// When it was told to start activities, the last day's.
    var starts: [Moment] = []
    /// In the order in which they started.
    var activities: [PhoneActivity] = []
    /// Grows with every change, so that a reader of two views knows the newer one.
    var revision = 0

    /// After about so many starts a phone starts nothing for up to a day (developers' reports).
    static let startsADay = 10
    private static let day: Int64 = 24 * 3600

    /// Counts a start.
    /// - Returns: whether the phone still takes it.
    mutating func takeStart(at now: Moment) -> Bool {
        starts.removeAll { now.epochSeconds - $0.epochSeconds >= Self.day }
        guard starts.count < Self.startsADay else { return false }
        starts.append(now)
        return true
    }
}
