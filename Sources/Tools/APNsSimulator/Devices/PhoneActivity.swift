import Encodings
import LiveActivityContent

/// A Live Activity on one phone, as ActivityKit keeps it.
///
/// The state with the newest timestamp wins. At its stale date the state is marked as stale but stays visible. An end
/// is final, and the activity leaves the Lock Screen at its dismissal date. A swipe removes it immediately. The system
/// ends every activity after eight hours.
struct PhoneActivity: Sendable {
    /// The system's limit on an activity's life.
    static let maxLifeSeconds: Int64 = 8 * 3600
    /// The maximum and default time for which the system shows an ended activity.
    static let maxDismissalSeconds: Int64 = 4 * 3600
    /// The time for which the simulator keeps a dismissed activity, for users and scripts that inspect it.
    static let retentionSeconds: Int64 = 3600

    /// The maximum time by which a timestamp may be ahead of the clock; a phone drops later ones (Apple staff in the
    /// developer forums).
    static let maxSecondsAhead: Int64 = 8 * 3600
    /// The maximum time by which an update's timestamp may be behind the clock; developers report that updates are
    /// dropped at ages from 50 to 200 seconds.
    static let maxSecondsBehind: Int64 = 200

    /// The time for which APNs accepts pushes for a dismissed activity.
    ///
    /// Apple documents no limit; developers observe a delay.
    static let expiryDelaySeconds: Int64 = 60

    /// ActivityKit's activity states.
    enum Status: String, Codable, Sendable {
        case active
        case stale
        case ended
        case dismissed
    }

    /// The phone's reaction to a push.
    enum Reaction: String, Codable, CodingKeyRepresentable, Sendable {
        /// The phone shows the new state.
        case shown
        /// Dropped: the phone already shows a state that is at least as new.
        case outdated
        /// Dropped: the push's timestamp is too far ahead of the clock, or an update's too far behind.
        case implausible
        /// Dropped: the phone cannot decode the push.
        case unreadable
        /// Dropped: the activity is over.
        case over
        /// Dropped: the user has switched Live Activities off.
        case activitiesOff
        /// Dropped: pushes have started the day's maximum of activities.
        case overBudget
        /// Dropped: the day's budget for reloads of widgets is spent.
        case overReloadBudget
        /// Dropped: the maximum number of activities is running.
        case tooManyActivities
        /// Dropped: the budget for priority 10 is spent.
        case throttled
        /// Dropped: the phone is offline, and the push must not be stored.
        case offline
        /// Stored until the phone is online, unless a newer push replaces it.
        case stored
        /// Dropped: a newer push replaced it while the phone was offline.
        case replaced
        /// Dropped: it expired while the phone was offline.
        case expired
        /// Held back for delivery together with other pushes.
        case grouped
    }

    let id: WallID<PhoneActivity>
    let adventureID: WallID<Adventure>
    /// The start of the activity, from which the system's time limit counts.
    let startedAt: Timestamp
    /// Whether a push started the activity; the system then informs the app of it and of its token.
    let isStartedByPush: Bool
    /// The attributes that the app sets when it starts the activity.
    let heroName: String?
    let partyName: String?
    let hero: HeroStats?
    let playerNames: [String]?
    /// The activity's push token; rotates.
    var token: PushToken

    /// The state on the phone; nil until the first push.
    private(set) var shown: AdventureAttributes.ContentState?
    /// The newest plausible timestamp that the sender has used, whether or not the push was shown.
    private(set) var newestSentTimestamp: Int64?
    /// The `apns-id` of the first push with that timestamp.
    private(set) var newestSentID: String?
    /// The `apns-id` of the sender's first end, whether or not it was shown.
    private(set) var sentEndID: String?
    /// The newest timestamp that reached the phone, shown or not.
    private(set) var newestTimestamp: Int64?
    private(set) var staleDate: Int64?
    private(set) var relevanceScore: Double = 0
    /// The recorded end; ``end(at:)`` also covers the end by the time limit.
    private(set) var end: End?
    /// The cause and time of the user's first removal of the activity: by a swipe, or in Settings.
    private var removal: (cause: TokenInvalidation.Cause, time: Timestamp)?
    private(set) var lastAlert: ShownAlert?
    private(set) var counts = PushCounts()

    /// The end of an activity.
    struct End: Sendable {
        /// The cause of an end; the raw values are part of the API.
        enum Cause: String, Encodable, Sendable {
            case push
            case person
            /// The user changed the setting for frequent pushes.
            case settings
            /// The activity had run for eight hours.
            case timeLimit
        }

        let cause: Cause
        /// The time at which the activity leaves the Lock Screen, in UNIX seconds.
        let dismissalDate: Int64
        /// The time at which the phone learned of the end, in UNIX seconds; it can be after the dismissal date.
        let time: Int64
        /// The `apns-id` of the push that ended it, if any.
        var apnsID: String?
    }

    /// The server's adventure; only its identifier matters here.
    enum Adventure {}

    init(
        id: WallID<PhoneActivity>,
        adventureID: WallID<Adventure>,
        heroName: String?,
        partyName: String?,
        hero: HeroStats? = nil,
        playerNames: [String]? = nil,
        token: PushToken,
        startedAt: Timestamp,
        isStartedByPush: Bool = false
    ) {
        self.startedAt = startedAt
        self.isStartedByPush = isStartedByPush
        self.id = id
        self.adventureID = adventureID
        self.heroName = heroName
        self.partyName = partyName
        self.hero = hero
        self.playerNames = playerNames
        self.token = token
    }

    /// Returns ActivityKit's state of the activity.
    func status(at now: Timestamp) -> Status {
        if let end = end(at: now) { return now.epochSeconds >= end.dismissalDate ? .dismissed : .ended }
        if let staleDate, now.epochSeconds >= staleDate { return .stale }
        return .active
    }

    /// Returns the end, by an event or by the time limit; nil while the activity runs.
    func end(at now: Timestamp) -> End? {
        if let end { return end }
        let limit = startedAt.epochSeconds + Self.maxLifeSeconds
        guard now.epochSeconds >= limit else { return nil }
        return End(cause: .timeLimit, dismissalDate: limit + Self.maxDismissalSeconds, time: limit)
    }

    /// Whether the activity was dismissed more than ``retentionSeconds`` ago.
    func isForgotten(at now: Timestamp) -> Bool {
        guard let end = end(at: now) else { return false }
        return now.epochSeconds - Self.retentionSeconds > max(end.dismissalDate, end.time)
    }

    /// Returns the cause and time of the token's invalidation; nil while APNs accepts pushes to it.
    ///
    /// APNs learns of a dismissal with a delay, which leaves a sender time to repeat its end.
    func invalidation(at now: Timestamp, dismissalDelaySeconds: Int64) -> (
        cause: TokenInvalidation.Cause, time: Timestamp
    )? {
        if let removal {
            let time = removal.time + .seconds(dismissalDelaySeconds)
            return now >= time ? (removal.cause, time) : nil
        }
        guard let end = end(at: now) else { return nil }
        let gone = Timestamp(epochSeconds: max(end.dismissalDate, end.time))
        return now.epochSeconds - Self.expiryDelaySeconds >= gone.epochSeconds ? (.expired, gone) : nil
    }

    /// Records a push that APNs has accepted, whether or not it reaches the phone.
    mutating func recordAccepted(
        _ payload: ReceivedPayload?,
        apnsID: String,
        priority: ReceivedPush.Priority,
        hasAlert: Bool,
        at now: Timestamp
    ) {
        counts.count(priority: priority, hasAlert: hasAlert)
        guard let payload else { return }
        if payload.isPlausible(at: now), newestSentTimestamp.map({ payload.timestamp > $0 }) ?? true {
            newestSentTimestamp = payload.timestamp
            newestSentID = apnsID
        }
        if payload.event == .end, sentEndID == nil { sentEndID = apnsID }
    }

    /// Handles a push that has reached the phone.
    ///
    /// `alert` is the push's alert in the phone's language.
    mutating func receive(_ delivery: Delivery, alert: ShownAlert?, at now: Timestamp) -> Reaction {
        guard end(at: now) == nil else { return .over }
        guard let payload = delivery.payload else { return .unreadable }
        guard payload.isPlausible(at: delivery.acceptedAt) else { return .implausible }
        let isNewer = newestTimestamp.map { payload.timestamp > $0 } ?? true
        newestTimestamp = max(payload.timestamp, newestTimestamp ?? .min)
        switch payload.event {
        case .start:
            return .unreadable
        case .update:
            guard isNewer else { return .outdated }
            guard let state = payload.contentState else { return .unreadable }
            shown = state
            staleDate = payload.staleDate
            relevanceScore = payload.relevanceScore
        case .end:
            // A late end still ends the activity; its state is ignored.
            if isNewer, let state = payload.contentState { shown = state }
            let latest = now.epochSeconds + Self.maxDismissalSeconds
            end = End(
                cause: .push,
                dismissalDate: min(payload.dismissalDate ?? latest, latest),
                time: now.epochSeconds,
                apnsID: delivery.apnsID
            )
        }
        if let alert { lastAlert = alert }
        return .shown
    }

    /// Returns the activity that a start creates, with its state.
    static func started(
        by payload: ReceivedPayload,
        attributes: ReceivedPayload.Attributes,
        adventureID: WallID<Adventure>,
        state: AdventureAttributes.ContentState,
        as identity: Identity,
        alert: ShownAlert,
        at now: Timestamp
    ) -> Self {
        var activity = Self(
            id: identity.id,
            adventureID: adventureID,
            heroName: attributes.heroName,
            partyName: attributes.partyName,
            hero: attributes.hero,
            playerNames: attributes.playerNames,
            token: identity.token,
            startedAt: now,
            isStartedByPush: true
        )
        activity.newestSentTimestamp = payload.timestamp
        activity.newestTimestamp = payload.timestamp
        activity.staleDate = payload.staleDate
        activity.relevanceScore = payload.relevanceScore
        activity.lastAlert = alert
        activity.shown = state
        return activity
    }

    /// The identifier and token of an activity that a push starts.
    struct Identity: Equatable, Sendable {
        let id: WallID<PhoneActivity>
        let token: PushToken

        /// Creates an identity; equal seeds give equal identities.
        init(seed: UInt64) {
            var generator = SplitMix64(seed: seed)
            id = WallID(using: &generator)
            token = PushToken(using: &generator)
        }
    }

    /// Removes the activity, as the user does with a swipe; an earlier end keeps its cause.
    mutating func swipeAway(at now: Timestamp) {
        let before = end(at: now)
        removal = removal ?? (.swipedAway, now)
        end = End(
            cause: before?.cause ?? .person,
            dismissalDate: now.epochSeconds,
            time: now.epochSeconds,
            apnsID: before?.apnsID
        )
    }

    /// Ends the activity, as the system does when the user changes the setting for frequent pushes.
    mutating func endBySettings(at now: Timestamp) {
        precondition(end(at: now) == nil, "an activity ends once")
        removal = (.switchedOff, now)
        end = End(
            cause: .settings,
            dismissalDate: now.epochSeconds + Self.maxDismissalSeconds,
            time: now.epochSeconds
        )
    }
}
