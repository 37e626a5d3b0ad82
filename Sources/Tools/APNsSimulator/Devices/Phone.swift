import Encodings

/// A phone or tablet with the app.
struct Phone: Sendable {
    /// The kind of device; an iPad has no Dynamic Island.
    enum Model: String, Codable, CaseIterable, Sendable {
        case iPhone
        case iPad
    }

    let id: WallID<Phone>
    /// The name on the page, such as its owner's.
    let label: String
    let model: Model
    /// The name of the player; the page groups the devices of a player.
    let owner: String?
    /// The locale: a BCP 47 tag, such as `ko` or `pt-BR`.
    var locale: String
    /// The value of `ActivityAuthorizationInfo.frequentPushesEnabled`.
    private(set) var frequentPushesEnabled: Bool
    /// The value of `ActivityAuthorizationInfo.areActivitiesEnabled`.
    private(set) var liveActivitiesEnabled: Bool
    /// Whether the phone is online.
    var isOnline = true
    /// The app's tokens, each from the app's first request on; they rotate.
    var appTokens: [AppToken.Kind: PushToken] = [:]
    /// The previous tokens; a sender may not know yet that they were replaced.
    var formerAppTokens: [AppToken.Kind: PushToken] = [:]
    /// The activities in the order of their start.
    var activities: [PhoneActivity] = []
    /// The notifications, newest first.
    var notifications: [PhoneNotification] = []
    var widgets: PhoneWidgets
    /// A number that grows with every change; of two views of a phone, the one with the larger revision is newer.
    var revision = 0

    /// The budget for priority 10, shared by all activities.
    var highPriorityBudget: PushBudget
    /// The budget for starts; a start costs no other budget, regardless of its priority.
    var startBudget: PushBudget
    private let limits: PhoneLimits

    private static let hour: Int64 = 3600

    init(
        id: WallID<Phone>,
        label: String,
        locale: String,
        frequentPushesEnabled: Bool,
        liveActivitiesEnabled: Bool = true,
        model: Model = .iPhone,
        owner: String? = nil,
        limits: PhoneLimits
    ) {
        self.id = id
        self.label = label
        self.model = model
        self.owner = owner
        self.locale = locale
        self.frequentPushesEnabled = frequentPushesEnabled
        self.liveActivitiesEnabled = liveActivitiesEnabled
        self.limits = limits
        highPriorityBudget = PushBudget(
            limit: limits.highPerHour(frequentPushesEnabled: frequentPushesEnabled),
            periodSeconds: Self.hour
        )
        widgets = PhoneWidgets(reloadsPerDay: limits.widgetReloadsPerDay)
        startBudget = PushBudget(limit: limits.startsPerDay, periodSeconds: 24 * Self.hour)
    }

    /// Changes the user's setting for frequent pushes; a new value ends every running activity, as on a real phone.
    mutating func setFrequentPushes(_ isEnabled: Bool, at now: Timestamp) {
        guard isEnabled != frequentPushesEnabled else { return }
        frequentPushesEnabled = isEnabled
        highPriorityBudget.limit = limits.highPerHour(frequentPushesEnabled: isEnabled)
        endActivities(at: now)
    }

    /// Changes the user's setting for Live Activities; without them every running activity ends, and none can start.
    mutating func setLiveActivities(_ isEnabled: Bool, at now: Timestamp) {
        liveActivitiesEnabled = isEnabled
        if !isEnabled { endActivities(at: now) }
    }

    private mutating func endActivities(at now: Timestamp) {
        for index in activities.indices where activities[index].end(at: now) == nil {
            activities[index].endBySettings(at: now)
        }
    }

    /// Whether another activity can start beside the running ones.
    func canStartActivity(at now: Timestamp) -> Bool {
        activities.count { $0.end(at: now) == nil } < limits.activities
    }
}
