import Encodings
import LiveActivityContent

/// A phone in the API.
struct PhoneView: Encodable, Sendable {
    let phoneID: WallID<Phone>
    let label: String
    let model: Phone.Model
    /// The name of the player; absent when it is unknown.
    let owner: String?
    let locale: String
    let frequentPushesEnabled: Bool
    let liveActivitiesEnabled: Bool
    let isOnline: Bool
    /// The budget for priority 10 per hour, and its remainder; both are absent when the budget is unlimited.
    let budgetLimit: Int?
    let budgetLeft: Int?
    /// The view with the larger revision is the newer one.
    let revision: Int
    /// The activities in the order of their start.
    let activities: [PhoneActivityView]
    /// The activities on the Lock Screen, from top to bottom.
    let lockScreen: [WallID<PhoneActivity>]
    let island: IslandView
    /// The notifications, newest first.
    let notifications: [PhoneNotification]
    let widgets: WidgetsView

    /// Describes a phone at a time, with the app's localized strings.
    init(_ phone: Phone, in catalog: StringCatalog, at now: Timestamp) {
        phoneID = phone.id
        label = phone.label
        model = phone.model
        owner = phone.owner
        locale = phone.locale
        frequentPushesEnabled = phone.frequentPushesEnabled
        liveActivitiesEnabled = phone.liveActivitiesEnabled
        isOnline = phone.isOnline
        budgetLimit = phone.highPriorityBudget.limit
        budgetLeft = phone.highPriorityBudget.remaining(at: now)
        revision = phone.revision
        activities = phone.activities.map { activity in
            PhoneActivityView(activity, at: now) { catalog.translation(of: $0, for: phone.locale) }
        }
        let screen = PhoneScreen(phone, at: now)
        lockScreen = screen.lockScreen
        island = IslandView(screen.island)
        notifications = phone.notifications
        widgets = WidgetsView(phone.widgets, at: now) { catalog.translation(of: $0, for: phone.locale) }
    }
}

/// The widgets in the API.
struct WidgetsView: Encodable, Sendable {
    /// The time of the last reload by a push; absent before the first.
    let reloadedAt: Timestamp?
    /// The number of reloads by pushes.
    let reloads: Int
    /// The remaining reloads of the day; absent when they are unlimited.
    let budgetLeft: Int?
    /// The content, with the hero's name in the phone's language; absent until the app sets one.
    let content: WidgetContent?

    init(_ widgets: PhoneWidgets, at now: Timestamp, translate: (String) -> String) {
        reloadedAt = widgets.reloadedAt
        reloads = widgets.reloads
        budgetLeft = widgets.budget.remaining(at: now)
        content = widgets.content.map { content in
            WidgetContent(hero: content.hero?.named(by: translate), leaderboard: content.leaderboard)
        }
    }
}

/// The Dynamic Island in the API.
struct IslandView: Encodable, Sendable {
    enum Presentation: String, Encodable, Sendable {
        case empty
        case compact
        case minimal
        case expanded
    }

    let presentation: Presentation
    /// The activities; `minimal` has two, the first of them beside the camera.
    let activityIDs: [WallID<PhoneActivity>]

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

/// An activity in the API; times are UNIX seconds, as in the payload.
struct PhoneActivityView: Encodable, Sendable {
    let activityID: WallID<PhoneActivity>
    let adventureID: WallID<PhoneActivity.Adventure>
    let heroName: String?
    let partyName: String?
    /// The stats of the player's hero; absent when they are unknown.
    let hero: HeroStats?
    /// The names of the players by hero, if two of them have the same one.
    let playerNames: [String]?
    let status: PhoneActivity.Status
    /// Whether a push ended it, as opposed to the user or the system.
    let isEndedByPush: Bool
    /// The cause of its end; absent while it runs.
    let endedBy: PhoneActivity.End.Cause?
    /// The state on the phone; absent until the first push.
    let contentState: AdventureAttributes.ContentState?
    /// The state's event in the phone's language.
    let eventText: String?
    /// The names of the state's heroes and boss in the phone's language, as far as they differ from those in the state.
    let names: [String: String]
    let alert: ShownAlert?
    let timestamp: Int64?
    let staleDate: Int64?
    let dismissalDate: Int64?
    let relevanceScore: Double
    let pushes: PushCounts

    /// Describes an activity at a time; `translate` returns the translation of a key for the phone.
    init(_ activity: PhoneActivity, at now: Timestamp, translate: (String) -> String) {
        activityID = activity.id
        adventureID = activity.adventureID
        heroName = activity.heroName
        partyName = activity.partyName
        hero = activity.hero
        playerNames = activity.playerNames
        status = activity.status(at: now)
        let end = activity.end(at: now)
        isEndedByPush = end?.apnsID != nil
        endedBy = end?.cause
        contentState = activity.shown
        eventText = activity.shown.map { $0.event.localized(by: translate) }
        let fighters = (activity.shown?.heroes.map(\.name) ?? []) + [activity.shown?.boss?.name].compactMap(\.self)
        names = fighters.reduce(into: [:]) { names, name in
            let translation = translate(name)
            if translation != name { names[name] = translation }
        }
        alert = activity.lastAlert
        timestamp = activity.newestTimestamp
        staleDate = activity.staleDate
        dismissalDate = end?.dismissalDate
        relevanceScore = activity.relevanceScore
        pushes = activity.counts
    }
}

/// The information that the system gives to the app on a phone: on a real one through `activityUpdates`,
/// `pushTokenUpdates`, `ActivityAuthorizationInfo` and calls of the widgets' timeline provider.
struct RunningActivitiesView: Encodable, Sendable {
    let locale: String
    let frequentPushesEnabled: Bool
    let liveActivitiesEnabled: Bool
    /// The remaining budget for priority 10; absent when the budget is unlimited.
    let budgetLeft: Int?
    /// The number of reloads of the widgets by pushes.
    let widgetReloads: Int
    let activities: [StartedActivityView]

    init(_ phone: Phone, at now: Timestamp) {
        locale = phone.locale
        frequentPushesEnabled = phone.frequentPushesEnabled
        liveActivitiesEnabled = phone.liveActivitiesEnabled
        budgetLeft = phone.highPriorityBudget.remaining(at: now)
        widgetReloads = phone.widgets.reloads
        activities = phone.activities.filter { $0.end(at: now) == nil }.map(StartedActivityView.init)
    }
}

/// A running activity with its token.
struct StartedActivityView: Encodable, Sendable {
    let activityID: WallID<PhoneActivity>
    let adventureID: WallID<PhoneActivity.Adventure>
    let pushToken: String
    /// The `sequence` of the state on the phone; absent until the first push.
    let sequence: Int?

    init(_ activity: PhoneActivity) {
        activityID = activity.id
        adventureID = activity.adventureID
        pushToken = activity.token.hexadecimal
        sequence = activity.shown?.sequence
    }
}
