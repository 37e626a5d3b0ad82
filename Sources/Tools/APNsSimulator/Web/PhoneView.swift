import LiveActivityContent

/// A phone as the API tells of it.
struct PhoneView: Encodable, Sendable {
    let phoneID: Identifier<Phone>
    let label: String
    let locale: String
    let frequentPushesEnabled: Bool
    let isOnline: Bool
    /// How many pushes of priority 10 the phone takes in an hour, and how many more now; absent when it takes any number.
    let budgetLimit: Int?
    let budgetLeft: Int?
    /// Of two views of a phone, the one with the larger number is the newer.
    let revision: Int
    /// In the order in which they started.
    let activities: [ActivityView]
    /// Those that the Lock Screen shows, the topmost first.
    let lockScreen: [Identifier<PhoneActivity>]
    let island: IslandView

    /// The phone as it is at that time, with the app's sentences.
    init(_ phone: Phone, in catalog: StringCatalog, at now: Moment) {
        phoneID = phone.id
        label = phone.label
        locale = phone.locale
        frequentPushesEnabled = phone.frequentPushesEnabled
        isOnline = phone.isOnline
        budgetLimit = phone.highBudget.limit
        budgetLeft = phone.highBudget.left(at: now)
        revision = phone.revision
        activities = phone.activities.map { activity in
            ActivityView(activity, at: now) { catalog.text($0, for: phone.locale) }
        }
        let screen = PhoneScreen(phone, at: now)
        lockScreen = screen.lockScreen
        island = IslandView(screen.island)
    }
}

/// What the Dynamic Island shows, as the API tells of it.
struct IslandView: Encodable, Sendable {
    enum Presentation: String, Encodable, Sendable {
        case empty
        case compact
        case minimal
        case expanded
    }

    let presentation: Presentation
    /// Whose it is; two with `minimal`, the first beside the camera.
    let activityIDs: [Identifier<PhoneActivity>]

    init(_ island: PhoneScreen.Island) {
        (presentation, activityIDs) =
            switch island {
            case .empty: (.empty, [])
            case .compact(let id): (.compact, [id])
            case .minimal(let first, let second): (.minimal, [first, second])
            case .expanded(let id): (.expanded, [id])
            }
    }
}

/// An activity as the API tells of it; times are UNIX seconds, as in the payload.
struct ActivityView: Encodable, Sendable {
    let activityID: Identifier<PhoneActivity>
    let adventureID: Identifier<PhoneActivity.Adventure>
    let heroName: String?
    let partyName: String?
    let status: PhoneActivity.Status
    /// Whether a push has ended it, and not the person or the system.
    let isEndedByPush: Bool
    /// Who or what has ended it; absent while it runs.
    let endedBy: PhoneActivity.End.Cause?
    /// The state that the phone shows; absent until the first push.
    let contentState: AdventureAttributes.ContentState?
    /// The state's event in the phone's language.
    let eventText: String?
    let alert: ShownAlert?
    let timestamp: Int64?
    let staleDate: Int64?
    let dismissalDate: Int64?
    let relevanceScore: Double
    let pushes: PushCounts

    /// The activity as it is at that time; `say` finds a sentence in the phone's language.
    init(_ activity: PhoneActivity, at now: Moment, say: (LocalizableText) -> String) {
        activityID = activity.id
        adventureID = activity.adventureID
        heroName = activity.heroName
        partyName = activity.partyName
        status = activity.status(at: now)
        let end = activity.end(at: now)
        isEndedByPush = end?.apnsID != nil
        endedBy = end?.cause
        contentState = activity.shown
        eventText = activity.shown.map { say($0.event) }
        alert = activity.lastAlert
        timestamp = activity.newestTimestamp
        staleDate = activity.staleDate
        dismissalDate = end?.dismissalDate
        relevanceScore = activity.relevanceScore
        pushes = activity.counts
    }
}

/// What the system tells the app on a phone: there it comes from `activityUpdates`, `pushTokenUpdates` and
/// `ActivityAuthorizationInfo`.
struct RunningActivitiesView: Encodable, Sendable {
    let locale: String
    let frequentPushesEnabled: Bool
    let activities: [StartedActivityView]

    init(_ phone: Phone, at now: Moment) {
        locale = phone.locale
        frequentPushesEnabled = phone.frequentPushesEnabled
        activities = phone.activities.filter { $0.end(at: now) == nil }.map(StartedActivityView.init)
    }
}

/// A running activity with its token.
struct StartedActivityView: Encodable, Sendable {
    let activityID: Identifier<PhoneActivity>
    let adventureID: Identifier<PhoneActivity.Adventure>
    let pushToken: String

    init(_ activity: PhoneActivity) {
        activityID = activity.id
        adventureID = activity.adventureID
        pushToken = activity.token.hexadecimal
    }
}
