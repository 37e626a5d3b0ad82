/// A phone with the app on it.
struct Phone: Sendable {
    let id: Identifier<Phone>
    /// What the page calls it, such as its owner's name.
    let label: String
    /// BCP 47, such as `ko` or `pt-BR`.
    var locale: String
    /// What the app would learn from `ActivityAuthorizationInfo`.
    private(set) var frequentPushesEnabled: Bool
    /// Whether pushes reach it.
    var isOnline = true
    /// Where starts for this phone go, once the app has asked for it; rotates.
    var pushToStartToken: PushToken?
    /// The one before, of which a sender may not have heard.
    var formerPushToStartToken: PushToken?
    /// In the order in which they started.
    var activities: [PhoneActivity] = []
    /// Grows with every change, so that a reader of two views knows the newer one.
    var revision = 0

    /// What it takes at priority 10, for all its activities together.
    var highBudget: PushBudget
    /// What it takes of pushes that start activities; whatever their priority, these spend nothing else.
    var startBudget: PushBudget
    private let limits: PhoneLimits

    private static let hour: Int64 = 3600

    init(id: Identifier<Phone>, label: String, locale: String, frequentPushesEnabled: Bool, limits: PhoneLimits) {
        self.id = id
        self.label = label
        self.locale = locale
        self.frequentPushesEnabled = frequentPushesEnabled
        self.limits = limits
        highBudget = PushBudget(
            limit: limits.highPerHour(frequentPushesEnabled: frequentPushesEnabled),
            periodSeconds: Self.hour
        )
        startBudget = PushBudget(limit: limits.startsPerDay, periodSeconds: 24 * Self.hour)
    }

    /// The person switches frequent pushes on or off in Settings: the system ends every running activity.
    mutating func setFrequentPushes(_ isEnabled: Bool, at now: Moment) {
        guard isEnabled != frequentPushesEnabled else { return }
        frequentPushesEnabled = isEnabled
        highBudget.limit = limits.highPerHour(frequentPushesEnabled: isEnabled)
        for index in activities.indices where activities[index].end(at: now) == nil {
            activities[index].endBySettings(at: now)
        }
    }

    /// Whether there is room for another activity beside those that run.
    func takesActivity(at now: Moment) -> Bool {
        activities.count { $0.end(at: now) == nil } < limits.activities
    }
}
