import Encodings
import LiveActivityContent

/// One Live Activity on one phone, as ActivityKit keeps it.
///
/// The state with the newest timestamp wins; at its stale date it is marked as out of date, but stays; an end is final,
/// and the card leaves the Lock Screen at the dismissal date. What a person swipes away is gone at once. Whatever comes,
/// the system ends an activity after eight hours.
struct PhoneActivity: Sendable {
    /// How long the system lets an activity run.
    static let longestLifeSeconds: Int64 = 8 * 3600
    /// How long the system shows an ended activity at most, and how long when the push does not say.
    static let longestDismissalSeconds: Int64 = 4 * 3600
    /// How long the simulator remembers a dismissed activity: long enough for people and scripts to look at it.
    static let memorySeconds: Int64 = 3600

    /// How far ahead of the clock a timestamp may be; a phone drops what is further (Apple's staff, in the developer forums).
    static let mostSecondsAhead: Int64 = 8 * 3600
    /// How far behind it an update's may be: developers see updates dropped that are 50 to 200 seconds old, and older ones.
    static let mostSecondsBehind: Int64 = 200

    /// How long APNs takes pushes for a dismissed activity: Apple names no number, and developers see it take a while.
    static let expiryDelaySeconds: Int64 = 60

    /// ActivityKit's states, and what they depend on.
    enum Status: String, Codable, Sendable {
        case active
        case stale
        case ended
        case dismissed
    }

    /// What the phone made of a push.
    enum Reaction: String, Codable, CodingKeyRepresentable, Sendable {
        /// It shows the new state.
        case shown
        /// It shows something at least as new, and drops the push.
        case outdated
        /// The push's timestamp is so far ahead of the clock, or an update's so far behind, that it drops the push.
        case implausible
        /// It cannot read the push, and drops it.
        case unreadable
        /// The activity is over, and the push is dropped.
        case over
        /// It has started as many activities as it may, and drops the push.
        case overBudget
        /// It shows as many activities as it may, and drops the push.
        case tooManyActivities
        /// It has had as much at priority 10 as it takes, and drops the push.
        case throttled
        /// It is out of reach, and the push is not to be kept.
        case offline
        /// It is out of reach, and gets the push later unless another one takes its place.
        case stored
        /// It was out of reach, and another push took this one's place.
        case replaced
        /// It was out of reach for longer than the push was to be kept.
        case expired
        /// It gets the push later, together with others.
        case grouped
    }

    let id: Identifier<PhoneActivity>
    let adventureID: Identifier<Adventure>
    /// When it started: the system counts from then.
    let startedAt: Moment
    /// Whether a push has started it, so that the app learns of it and of its token from the system.
    let isStartedByPush: Bool
    /// Attributes that the app would set when it starts the activity.
    let heroName: String?
    let partyName: String?
    /// Where pushes for it go; rotates.
    var token: PushToken

    /// What the phone shows; nil until the first push.
    private(set) var shown: AdventureAttributes.ContentState?
    /// The newest timestamp that the sender has used, whatever became of the push, but for those that no phone believes.
    private(set) var newestSentTimestamp: Int64?
    /// The `apns-id` of the push that had it first.
    private(set) var newestSentID: String?
    /// The `apns-id` of the sender's first end, whatever became of it.
    private(set) var sentEndID: String?
    /// The newest timestamp that arrived, shown or not.
    private(set) var newestTimestamp: Int64?
    private(set) var staleDate: Int64?
    private(set) var relevanceScore: Double = 0
    /// How something has ended it; the time that it has is told by ``end(at:)`` only.
    private(set) var end: End?
    /// How the phone's owner has removed it first: by a swipe, or in Settings.
    private var removal: (cause: TokenDeath.Cause, time: Moment)?
    private(set) var lastAlert: ShownAlert?
    private(set) var counts = PushCounts()

    /// How it ended.
    struct End: Sendable {
        /// Who or what ended it; the raw values are names for scripts.
        enum Cause: String, Encodable, Sendable {
            case push
            case person
            /// Somebody switched frequent pushes on or off.
            case settings
            /// It had run for eight hours.
            case timeLimit
        }

        let cause: Cause
        /// When the card leaves the Lock Screen, in UNIX seconds.
        let dismissalDate: Int64
        /// When the phone learnt of it, in UNIX seconds; a dismissal date may lie before.
        let time: Int64
        /// The `apns-id` of the push that ended it, if one did.
        var apnsID: String?
    }

    /// An adventure is the server's; here it is but a name.
    enum Adventure {}

    init(
        id: Identifier<PhoneActivity>,
        adventureID: Identifier<Adventure>,
        heroName: String?,
        partyName: String?,
        token: PushToken,
        startedAt: Moment,
        isStartedByPush: Bool = false
    ) {
        self.startedAt = startedAt
        self.isStartedByPush = isStartedByPush
        self.id = id
        self.adventureID = adventureID
        self.heroName = heroName
        self.partyName = partyName
        self.token = token
    }

    /// What ActivityKit would call its state.
    func status(at now: Moment) -> Status {
        if let end = end(at: now) { return now.epochSeconds >= end.dismissalDate ? .dismissed : .ended }
        if let staleDate, now.epochSeconds >= staleDate { return .stale }
        return .active
    }

    /// How it has ended by then: as something ended it, or because its time was over.
    func end(at now: Moment) -> End? {
        if let end { return end }
        let limit = startedAt.epochSeconds + Self.longestLifeSeconds
        guard now.epochSeconds >= limit else { return nil }
        return End(cause: .timeLimit, dismissalDate: limit + Self.longestDismissalSeconds, time: limit)
    }

    /// Whether it has been dismissed for longer than anyone needs to know.
    func isForgotten(at now: Moment) -> Bool {
        guard let end = end(at: now) else { return false }
        return now.epochSeconds - Self.memorySeconds > max(end.dismissalDate, end.time)
    }

    /// Why and since when its token is good for nothing any more; nil while APNs takes pushes for it.
    ///
    /// APNs learns with a delay that an activity is gone, which leaves a sender the time to repeat its end.
    func death(at now: Moment, dismissalDelaySeconds: Int64) -> (cause: TokenDeath.Cause, time: Moment)? {
        if let removal {
            let time = Moment(epochMilliseconds: removal.time.epochMilliseconds + dismissalDelaySeconds * 1000)
            return now >= time ? (removal.cause, time) : nil
        }
        guard let end = end(at: now) else { return nil }
        let gone = Moment(epochMilliseconds: max(end.dismissalDate, end.time) * 1000)
        return now.epochSeconds - Self.expiryDelaySeconds >= gone.epochSeconds ? (.expired, gone) : nil
    }

    /// Writes down a push that APNs has accepted, whether or not it comes through.
    mutating func noteAccepted(
        _ payload: ReceivedPayload?,
        apnsID: String,
        priority: PushRequest.Priority,
        hasAlert: Bool,
        at now: Moment
    ) {
        counts.count(priority: priority, hasAlert: hasAlert)
        guard let payload else { return }
        if payload.isPlausible(at: now), newestSentTimestamp.map({ payload.timestamp > $0 }) ?? true {
            newestSentTimestamp = payload.timestamp
            newestSentID = apnsID
        }
        if payload.event == .end, sentEndID == nil { sentEndID = apnsID }
    }

    /// Takes a push that has come through.
    ///
    /// `alert` is its alert as this phone says it.
    mutating func receive(_ delivery: Delivery, alert: ShownAlert?, at now: Moment) -> Reaction {
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
            // An end counts even when it comes late; its state does not.
            if isNewer, let state = payload.contentState { shown = state }
            let latest = now.epochSeconds + Self.longestDismissalSeconds
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

    /// The activity that a start makes, showing its state.
    static func started(
        by payload: ReceivedPayload,
        attributes: AdventureAttributes,
        adventureID: Identifier<Adventure>,
        state: AdventureAttributes.ContentState,
        as identity: Identity,
        alert: ShownAlert,
        at now: Moment
    ) -> Self {
        var activity = Self(
            id: identity.id,
            adventureID: adventureID,
            heroName: attributes.heroName,
            partyName: attributes.partyName,
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

    /// What the system gives an activity that a push starts.
    struct Identity: Equatable, Sendable {
        let id: Identifier<PhoneActivity>
        let token: PushToken

        /// The same number gives the same.
        init(drawnFrom chance: UInt64) {
            var generator = SeededGenerator(seed: chance)
            id = Identifier(using: &generator)
            token = PushToken(using: &generator)
        }
    }

    /// The person swipes the card away; what had ended before has still ended as it did.
    mutating func swipeAway(at now: Moment) {
        let before = end(at: now)
        removal = removal ?? (.swipedAway, now)
        end = End(
            cause: before?.cause ?? .person,
            dismissalDate: now.epochSeconds,
            time: now.epochSeconds,
            apnsID: before?.apnsID
        )
    }

    /// The system ends it, because somebody switched frequent pushes on or off.
    mutating func endBySettings(at now: Moment) {
        precondition(end(at: now) == nil, "an activity ends once")
        removal = (.switchedOff, now)
        end = End(
            cause: .settings,
            dismissalDate: now.epochSeconds + Self.longestDismissalSeconds,
            time: now.epochSeconds
        )
    }
}
