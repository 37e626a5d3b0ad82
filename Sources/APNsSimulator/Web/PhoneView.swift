import LiveActivityContent

/// A phone as the API tells of it.
struct PhoneView: Encodable, Sendable {
    let phoneID: Identifier<Phone>
    let label: String
    let locale: String
    let frequentPushesEnabled: Bool
    /// Of two views of a phone, the one with the larger number is the newer.
    let revision: Int
    /// In the order in which they started.
    let activities: [ActivityView]

    /// The phone as it is at that time.
    init(_ phone: Phone, at now: Moment) {
        phoneID = phone.id
        label = phone.label
        locale = phone.locale
        frequentPushesEnabled = phone.frequentPushesEnabled
        revision = phone.revision
        activities = phone.activities.map { ActivityView($0, at: now) }
    }
}

/// An activity as the API tells of it; times are UNIX seconds, as in the payload.
struct ActivityView: Encodable, Sendable {
    let activityID: Identifier<PhoneActivity>
    let adventureID: Identifier<PhoneActivity.Adventure>
    let heroName: String?
    let partyName: String?
    let status: PhoneActivity.Status
    /// Whether a push has ended it, and not the person.
    let isEndedByPush: Bool
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

    init(_ activity: PhoneActivity, at now: Moment) {
        activityID = activity.id
        adventureID = activity.adventureID
        heroName = activity.heroName
        partyName = activity.partyName
        status = activity.status(at: now)
        isEndedByPush = activity.end?.apnsID != nil
        contentState = activity.shown
        eventText = activity.shownEventText
        alert = activity.lastAlert
        timestamp = activity.newestTimestamp
        staleDate = activity.staleDate
        dismissalDate = activity.end?.dismissalDate
        relevanceScore = activity.relevanceScore
        pushes = activity.counts
    }
}

/// What the system tells the app of a running activity that a push has started: there it comes from
/// `activityUpdates` and `pushTokenUpdates`.
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
